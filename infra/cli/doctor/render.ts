import type { Look } from '../output/look.ts'
import { renderTable } from '../output/table.ts'
import { counted } from '../output/texts.ts'
import type { Finding, Outcome } from './check.ts'

export const isHealthy = (findings: readonly Finding[]): boolean =>
  findings.every(({ outcome }) => outcome !== 'failed')

/** A line a finding, with what to do; then how many failed. */
export const renderFindings = (look: Look, findings: readonly Finding[]): string => {
  const rows = findings.map(({ check, of, outcome, text, mend }) => [
    outcomeText(look, outcome),
    check,
    of,
    mend === null ? text : `${text}. ${mend}`,
  ])
  const columns = [
    { title: '' },
    { title: 'CHECK' },
    { title: 'OF', shrinks: true },
    { title: 'FOUND, AND WHAT TO DO', shrinks: true },
  ]
  return `${renderTable(look, columns, rows)}\n\n${summaryOf(look, findings)}`
}

const outcomeText = ({ colors }: Look, outcome: Outcome): string => {
  if (outcome === 'ok') return colors.green(outcome)
  if (outcome === 'failed') return colors.red(outcome)
  return outcome === 'warning' ? colors.yellow(outcome) : colors.dim(outcome)
}

const summaryOf = ({ colors }: Look, findings: readonly Finding[]): string => {
  const count = (outcome: Outcome): number => findings.filter(finding => finding.outcome === outcome).length
  const [failures, warnings] = [count('failed'), count('warning')]
  if (failures > 0) return colors.red(`${failures} failed, ${counted(warnings, 'warning')}.`)
  return warnings > 0
    ? colors.yellow(`Nothing failed; ${counted(warnings, 'warning')}.`)
    : colors.green('All is well.')
}
