import { jsonOf, type Ran } from './bridge-command.ts'

export type Finding = { check: string; of: string; outcome: string; text: string; mend: string | null }
export const findingsOf = (ran: Ran): Finding[] => jsonOf(ran).checks
export const outcomesOf = (findings: readonly Finding[]) =>
  findings.map(({ check, of, outcome }) => [check, of, outcome])
export const wrongOf = (findings: readonly Finding[]) =>
  findings.filter(({ outcome }) => outcome !== 'ok').map(({ check, of, outcome }) => [check, of, outcome])
export const textOf = (findings: readonly Finding[], check: string, of: string): string | undefined =>
  findings.find(one => one.check === check && one.of === of)?.text

export const wellOf = (source: string) => [
  ['contacts key', source, 'ok'],
  ['rate limit', source, 'ok'],
  ['clock', source, 'ok'],
]
export const listsOf = (check: string, source: string) =>
  ['bounces', 'complaints'].map(stream => [check, `${source}, ${stream}`, 'ok'])
