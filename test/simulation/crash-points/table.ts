import { minuteMs } from '../../../shared/domain/time-units.ts'
import { type Cost, isFree, worstOf } from './cost.ts'
import { type Group, groupOf, groups } from './groups.ts'
import type { Crashed } from './run-all.ts'

const minuteSeconds = minuteMs / 1_000

const counted = (count: number, one: string, many = `${one}s`): string[] =>
  count === 0 ? [] : [`${count} ${count === 1 ? one : many}`]

/** In words, the most of each; `nothing` where it cost nothing. */
export const costText = (cost: Cost): string => {
  const minutes = Math.round(cost.delaySeconds / minuteSeconds)
  const parts = [
    ...counted(cost.requests, 'request'),
    ...counted(cost.messages, 'message'),
    ...counted(cost.refused, 'failed POST'),
    ...(cost.duplicates === 0 ? [] : [`**${counted(cost.duplicates, 'duplicate')[0]}**`]),
    ...counted(cost.told, 'telling'),
    ...(cost.silent === 0 ? [] : [`${counted(cost.silent, 'heartbeat')[0]} less`]),
    ...(minutes === 0 ? [] : [`${minutes} min later`]),
  ]
  return parts.join(', ') || 'nothing'
}

const cellOf = (crashed: readonly Crashed[]): string =>
  crashed.length === 0 ? '' : costText(worstOf(crashed.map(({ cost }) => cost)))

const rowOf = (group: Group, crashed: readonly Crashed[]): string => {
  const before = crashed.filter(({ crash }) => crash.death === 'before')
  const after = crashed.filter(({ crash }) => crash.death === 'after')
  const [name = ''] = group.process.split(' ')
  const calls = group.calls.length === 0 ? 'all its calls' : namesOf(before)
  return `| ${name} | ${group.about} | ${calls} | ${before.length} | ${cellOf(before)} | ${cellOf(after)} |`
}

const namesOf = (crashed: readonly Crashed[]): string =>
  [...new Set(crashed.map(({ point }) => `\`${point.call}\``))].join(', ')

const isAll = (crashed: readonly Crashed[], is: (cost: Cost) => boolean): number =>
  crashed.filter(({ cost }) => is(cost)).length

/** What of all crashes is to be said in a few lines. */
export const totals = (all: readonly Crashed[]): string => {
  const points = all.filter(({ crash }) => crash.death === 'before').length
  const failures = all.filter(({ failure }) => failure !== null).length
  const only = (cost: Cost): boolean => !isFree(cost) && cost.duplicates === 0
  return [
    `${points} crash points, ${all.length} crashes (${points} before a call, ${all.length - points} after one that changes something)`,
    `${isAll(all, isFree)} cost nothing`,
    `${isAll(all, only)} cost requests, messages or time`,
    `${isAll(all, ({ duplicates }) => duplicates > 0)} cost duplicates, ${Math.max(0, ...all.map(({ cost }) => cost.duplicates))} at most`,
    `${failures} violations`,
  ].join('; ')
}

/** The table that ARCHITECTURE.md has. */
export const renderTable = (all: readonly Crashed[]): string => {
  const byGroup = Map.groupBy(all, ({ point }) => groupOf(point))
  const rows = groups.map(group => rowOf(group, byGroup.get(group) ?? []))
  return [
    `${totals(all)}.`,
    '',
    '| Process | Where it dies | Call | Points | Before it | After it |',
    '|---|---|---|--:|---|---|',
    ...rows,
  ].join('\n')
}
