import type { Look } from '../output/look.ts'
import { counted } from '../output/texts.ts'
import { countSteps, isList, type Plan, type Step } from './plan.ts'
import type { Setting } from './settings.ts'

/** Of headers their names alone: a value may be a secret. */
const toldOf = (setting: Setting): string | number | boolean | readonly string[] | undefined =>
  typeof setting === 'object' && !isList(setting) ? Object.keys(setting) : setting

const textOf = (setting: Setting): string => {
  if (setting === undefined) return 'not set'
  const told = toldOf(setting)
  if (isList(told)) return told.join(', ')
  if (typeof told === 'boolean') return told ? 'yes' : 'no'
  return String(told)
}

/** A state that the file leaves out is none: paused, or not. */
const changeText = (from: Setting, to: Setting): string => {
  const isState = typeof (from ?? to) === 'boolean'
  const [before = '', after = ''] = [from, to].map(setting =>
    textOf(setting ?? (isState ? false : undefined)),
  )
  return before === after ? `${after} (with another value)` : `${before} → ${after}`
}

/** A plan as it is read: what would be made, changed field by field, or removed; what stays as it is is counted. */
export const renderPlan = (look: Look, plan: Plan): string => {
  const lines = [
    ...plan.sources.flatMap(step => renderStep(look, 'source', step)),
    ...plan.endpoints.flatMap(step => renderStep(look, 'endpoint', step)),
  ]
  const { keep } = countSteps(plan)
  if (keep > 0)
    lines.push(
      look.colors.dim(`= ${counted(keep, 'source or endpoint', 'sources and endpoints')} as declared`),
    )
  return lines.join('\n')
}

const renderStep = (look: Look, noun: string, step: Step<unknown>): string[] => {
  const { green, yellow, red, dim } = look.colors
  const name = `${noun} ${step.id}`
  switch (step.kind) {
    case 'create':
      return [
        green(`+ ${name}`),
        ...Object.entries(step.settings)
          .filter(([, setting]) => setting !== undefined)
          .map(([setting, value]) => `    ${setting}: ${textOf(value)}`),
      ]
    case 'change':
      return [
        yellow(`~ ${name}`),
        ...step.changes.map(({ setting, from, to }) => `    ${setting}: ${changeText(from, to)}`),
      ]
    case 'remove':
      return [red(`- ${name}`)]
    case 'undeclared':
      return [dim(`? ${name} is not in the file; it stays (--prune removes it)`)]
    case 'keep':
      return []
  }
}

/** What was done, or would be, in a line. */
export const renderSummary = (plan: Plan, { isDryRun }: { isDryRun: boolean }): string => {
  const { create, change, remove } = countSteps(plan)
  if (create + change + remove === 0) return 'Nothing to change: the bridge is as the file declares it.'
  const parts = [
    ...(create > 0 ? [`${create} added`] : []),
    ...(change > 0 ? [`${change} changed`] : []),
    ...(remove > 0 ? [`${remove} removed`] : []),
  ].join(', ')
  return isDryRun ? `Nothing was done; it would be ${parts}.` : `Done: ${parts}.`
}

/** What `--json` shows of a plan: only ever added to. */
export const planJson = (plan: Plan) => ({
  sources: plan.sources.map(stepJson),
  endpoints: plan.endpoints.map(stepJson),
})

const stepJson = (step: Step<unknown>) => ({
  id: step.id,
  step: step.kind,
  ...(step.kind === 'change' && {
    changes: step.changes.map(({ setting, from, to }) => ({
      setting,
      from: toldOf(from) ?? null,
      to: toldOf(to) ?? null,
    })),
  }),
})
