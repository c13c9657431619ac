import { showDuration } from '../../local/durations.ts'
import { healthLines } from '../endpoint/health.ts'
import { marked } from '../endpoint/render.ts'
import type { StandingByState } from '../endpoint/standing.ts'
import type { Look } from '../output/look.ts'
import { showAge, showMoment } from '../output/moments.ts'
import { renderTable } from '../output/table.ts'
import { none } from '../output/texts.ts'
import { problemsOf } from './problems.ts'
import type { EndpointStatus, SourceStatus, Status, StreamStatus } from './read-status.ts'
import { sparkline, summedBy } from './sparkline.ts'
import type { StreamState } from './stream-standing.ts'
import { successSlots } from './success-share.ts'

/** Endpoints on one screen; those with something to look at come first. */
export const endpointsShownMax = 15
const hoursPerBar = 3

/** One screen: sources, endpoints, queues, and in words what is not as it should be. */
export const renderStatus = (look: Look, status: Status, { all }: { all: boolean }): string => {
  const { bold, yellow, green } = look.colors
  const problems = problemsOf(status)
  const parts = [
    `${bold(titleOf(status))}, ${showMoment(status.nowMs)}`,
    renderSources(look, status),
    renderEndpoints(look, status, all),
    ...(status.queues === null ? [] : [renderQueues(look, status.queues)]),
    problems.length === 0 ? green('All is well.') : problems.map(line => yellow(line)).join('\n'),
  ]
  return parts.join('\n\n')
}

const titleOf = ({ target }: Status): string =>
  target.kind === 'stack' ? `Stack ${target.name}` : `Bridge in ${target.dataDir}`

const renderSources = (look: Look, { sources, nowMs }: Status): string => {
  if (sources.length === 0) return 'There are no sources yet; bridge source add makes one.'
  const columns = [
    { title: 'SOURCE', shrinks: true },
    { title: 'STREAM' },
    { title: 'STATE' },
    { title: 'LAST WALK' },
    { title: 'LAG', align: 'right' },
    { title: 'BUDGET', align: 'right' },
    { title: 'LAST DAY' },
    { title: 'EVENTS', align: 'right' },
  ] as const
  return renderTable(
    look,
    columns,
    sources.flatMap(source => sourceRows(look, source, nowMs)),
  )
}

const sourceRows = (look: Look, { source, found }: SourceStatus, nowMs: number): string[][] => {
  if (found.value === null) return [[source.id, '', look.colors.red('unknown'), '', '', '', '', '']]
  const { budget, streams } = found.value
  return streams.map((stream, at) => [
    at === 0 ? source.id : '',
    stream.stream,
    stateText(look, stream.standing.state),
    ...walkCells(stream, nowMs),
    at === 0 && budget !== null ? `${budget.left}/${budget.of}` : '',
    sparkline(summedBy(stream.events.byHour, hoursPerBar)),
    `${stream.events.count.toLocaleString('en-US')}${stream.events.atLeast ? '+' : ''}`,
  ])
}

const walkCells = ({ standing }: StreamStatus, nowMs: number): [string, string] => {
  const { lastCompleteWalkAtMs: atMs, lagMs } = standing
  return [atMs === null ? 'never' : showAge(atMs, nowMs), lagMs === null ? none : showDuration(lagMs)]
}

const stateText = ({ colors }: Look, state: StreamState): string => {
  if (state === 'ok') return colors.green(state)
  return state === 'failing' || state === 'stopped' ? colors.red(state) : colors.yellow(state)
}

const renderEndpoints = (look: Look, { endpoints, nowMs }: Status, all: boolean): string => {
  if (endpoints.length === 0) return 'There are no endpoints yet; bridge endpoint add makes one.'
  const ranked = endpoints.toSorted((one, other) => rankOf(one) - rankOf(other))
  const shown = all ? ranked : ranked.slice(0, endpointsShownMax)
  const columns = [
    { title: 'ENDPOINT', shrinks: true },
    { title: 'STATE' },
    { title: 'RECENT' },
    { title: 'SUCCESS', align: 'right' },
    { title: 'WAITING', align: 'right' },
    { title: 'HELD', align: 'right' },
    { title: 'DEAD', align: 'right' },
    { title: 'OLDEST', align: 'right' },
  ] as const
  const table = renderTable(
    look,
    columns,
    shown.map(endpoint => endpointRow(look, endpoint, nowMs)),
  )
  const hidden = ranked.length - shown.length
  return hidden === 0 ? table : `${table}\nand ${hidden.toLocaleString('en-US')} more: --all shows them`
}

/** The lower, the more there is to look at. */
const rankOf = ({ endpoint, found }: EndpointStatus): number => {
  if (found.value === null) return 0
  const { deliveries, success } = found.value
  if (endpoint.state !== 'active' || endpoint.health.open !== null) return 1
  if (deliveries.held.count + deliveries.dead.count > 0) return 2
  return success.delivered < success.deliveries || deliveries.waiting.count > 0 ? 3 : 4
}

/** In a word: the lines below the tables tell more. */
const endpointState = ({ colors }: Look, endpoint: EndpointStatus['endpoint'], nowMs: number): string => {
  if (endpoint.state !== 'active') return colors.yellow(endpoint.state)
  const { open, pausedUntilMs } = endpoint.health
  // An open breaker is the endpoint's failure; the word alone reads as if it were well.
  if (open !== null) return colors.red('failing')
  if (pausedUntilMs !== null && pausedUntilMs > nowMs) return colors.yellow('paused')
  return healthLines(endpoint, nowMs).length === 0 ? colors.green('active') : colors.yellow('failing')
}

const endpointRow = (look: Look, { endpoint, found }: EndpointStatus, nowMs: number): string[] => {
  const { colors } = look
  const state = endpointState(look, endpoint, nowMs)
  if (found.value === null) return [endpoint.id, state, colors.red('unknown'), '', '', '', '', '']
  const { deliveries, success } = found.value
  const share = success.deliveries === 0 ? none : percentOf(success.delivered / success.deliveries)
  return [
    endpoint.id,
    state,
    success.deliveries === 0 ? '·'.repeat(successSlots) : sparkline(success.bySlot, 1),
    share,
    marked(look, deliveries.waiting, 'yellow'),
    marked(look, deliveries.held, 'yellow'),
    marked(look, deliveries.dead, 'red'),
    oldestOf(deliveries, nowMs),
  ]
}

/** Never rounded up to all: one that failed is to be seen. */
const percentOf = (share: number): string =>
  `${(Math.floor(share * 1_000) / 10).toFixed(share === 1 ? 0 : 1)} %`

/** The oldest event that has still to be delivered. */
const oldestOf = ({ waiting, held }: StandingByState, nowMs: number): string => {
  const known = [waiting.oldestEventMs, held.oldestEventMs].filter(atMs => atMs !== null)
  return known.length === 0 ? none : showDuration(Math.max(0, nowMs - Math.min(...known)))
}

const renderQueues = (look: Look, queues: NonNullable<Status['queues']>): string => {
  const columns = [
    { title: 'QUEUE' },
    { title: 'READY', align: 'right' },
    { title: 'IN FLIGHT', align: 'right' },
    { title: 'DELAYED', align: 'right' },
  ] as const
  const rows = queues.map(({ name, depth }) => {
    if (depth.value === null) return [name, look.colors.red('unknown'), '', '']
    const { ready, inFlight, delayed } = depth.value
    return [name, ...[ready, inFlight, delayed].map(count => count.toLocaleString('en-US'))]
  })
  return renderTable(look, columns, rows)
}
