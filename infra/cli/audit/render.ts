import type { EndpointCounts } from '../../../shared/domain/audit/compare-deliveries.ts'
import type { Look } from '../output/look.ts'
import { showMoment } from '../output/moments.ts'
import { type Column, renderFields, renderTable } from '../output/table.ts'
import { counted } from '../output/texts.ts'
import { type AuditView, isAmiss } from './audit-view.ts'

/** Differences that people are shown; `--json` names more. */
const shownMax = 20

type Compared = Extract<AuditView['audit'], { kind: 'compared' }>

const number = (count: number): string => count.toLocaleString('en-US')

export const renderAudit = (look: Look, views: readonly AuditView[]): string => {
  if (views.length === 0) return 'There are no sources to audit.'
  return [...views.map(view => renderStream(look, view)), verdict(look, views)].join('\n\n')
}

const renderStream = (look: Look, { source, stream, requests, audit }: AuditView): string => {
  const title = look.colors.bold(`${source.id} ${stream}`)
  if (audit.kind === 'not_started') return `${title}\nnot read yet: there is nothing to compare`
  const { fromSecond, untilSecond, walk } = audit
  const range = `${showMoment(fromSecond * 1_000)} to ${showMoment(untilSecond * 1_000)}`
  const unread =
    walk.kind === 'unreadable'
      ? [look.colors.red(`The service could not be read to the end (${walk.reason}). ${walk.hint}`)]
      : []
  return [
    `${title}, ${range}, ${counted(requests, 'request')}`,
    ...unread,
    renderFields(look, recordFields(look, audit)),
    ...deliveryLines(look, audit),
    ...differences(look, audit),
  ].join('\n')
}

const recordFields = (look: Look, { walk, records, log }: Compared): [string, string][] => {
  const isUnread = walk.kind === 'unreadable'
  // That none could be read says nothing of what is there.
  if (isUnread && records.atService === 0) {
    return [
      ['Records at the service', 'none could be read'],
      ['Events in the log', number(log.events)],
    ]
  }
  const { red, green } = look.colors
  const missing = records.missing === 0 ? green('0') : red(number(records.missing))
  const more = (name: string, count: number): [string, string][] =>
    count === 0 ? [] : [[name, number(count)]]
  return [
    [isUnread ? 'Records that could be read' : 'Records at the service', number(records.atService)],
    ['  in the event log', number(records.inLog)],
    ['  before the floor', number(records.beforeFloor)],
    ['  in quarantine', number(records.quarantined)],
    ...more('  not read yet', records.notReadYet),
    ['  missing', missing],
    ...more('  of these repaired', records.repaired),
    ['Events in the log', number(log.events)],
    ...more('  not at the service now', log.notAtService ?? 0),
  ]
}

const columns: readonly Column[] = [
  { title: 'ENDPOINT', shrinks: true },
  ...['DELIVERED', 'WAITING', 'HELD', 'DEAD', 'CANCELLED', 'QUEUED', 'NOT DUE', 'MISSING'].map(
    title => ({ title, align: 'right' }) as const,
  ),
]

const deliveryLines = (look: Look, { log }: Compared): string[] => {
  if (log.endpoints.size === 0) return []
  const rows = [...log.endpoints]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([id, counts]) => [id, ...cells(look, counts)])
  return [renderTable(look, columns, rows)]
}

const cells = (look: Look, counts: EndpointCounts): string[] => [
  number(counts.delivered),
  number(counts.waiting),
  number(counts.held),
  number(counts.dead),
  number(counts.cancelled),
  number(counts.queued),
  number(counts.not_due),
  counts.missing === 0 ? '0' : look.colors.red(number(counts.missing)),
]

const differences = (look: Look, { missing, records, log }: Compared): string[] => {
  const lines = [
    ...missing.map(
      ({ eventId, record, second, repaired }) =>
        `missing: record ${printable(record)}${second === null ? '' : ` of ${showMoment(second * 1_000)}`}, ${eventId ?? 'which is none that can be read'}${done(repaired)}`,
    ),
    ...log.named.map(
      ({ eventId, endpointId, repaired }) =>
        `missing: delivery of ${eventId} to ${endpointId}${done(repaired)}`,
    ),
  ]
  const total = records.missing + log.missing
  const rest = total - Math.min(lines.length, shownMax)
  const more =
    rest > 0 ? [look.colors.dim(`… and ${number(rest)} more; --json names a thousand of each`)] : []
  return [...lines.slice(0, shownMax), ...more]
}

const done = (repaired: boolean): string => (repaired ? ' (enqueued now)' : '')

/** A record's uuid is the service's text: nothing in it is to act on a terminal. */
const printable = (text: string): string => text.replaceAll(/[^\x21-\x7e]/g, '?')

const verdict = (look: Look, views: readonly AuditView[]): string => {
  const compared = views.flatMap(({ audit }) => (audit.kind === 'compared' ? [audit] : []))
  const missing = compared.reduce((sum, { records, log }) => sum + records.missing + log.missing, 0)
  const repaired = compared.reduce((sum, { records, log }) => sum + records.repaired + log.repaired, 0)
  const unread = compared.filter(({ walk }) => walk.kind === 'unreadable').length
  const behind = compared.reduce((sum, { records }) => sum + records.notReadYet, 0)
  const also = [
    ...(unread > 0 ? [`${counted(unread, 'stream')} could not be read to the end`] : []),
    ...(behind > 0 ? [`${counted(behind, 'record')} the poller has not come to yet`] : []),
  ].map(text => ` ${text}.`)
  const mend = missing === repaired ? '' : ' --repair enqueues it.'
  const fixed = repaired > 0 ? `, ${number(repaired)} of that enqueued now` : ''
  const found = `${number(missing)} missing${fixed}.${mend}`
  // What was not read to its end proves nothing.
  const nothing = unread === 0 ? 'Nothing is missing.' : 'Nothing is missing of what could be compared.'
  const text = missing === 0 ? nothing : found
  const color = views.some(isAmiss) ? look.colors.red : look.colors.green
  return color(text) + also.join('')
}
