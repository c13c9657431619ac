import type { Endpoint, SigningKey } from '../../../shared/domain/endpoint/endpoint.ts'
import type { Standing } from '../../../shared/domain/release/count-standing.ts'
import { activeKeys } from '../../../shared/domain/signing/signing-keys.ts'
import { showDuration } from '../../local/durations.ts'
import type { Look } from '../output/look.ts'
import { showAge, showMoment } from '../output/moments.ts'
import { renderFields, renderTable } from '../output/table.ts'
import { masked, none } from '../output/texts.ts'
import { healthLines } from './health.ts'
import type { StandingByState } from './standing.ts'

export const stateOf = (look: Look, { state, stateReason, health }: Endpoint): string => {
  if (state === 'active' && health.open !== null) return look.colors.yellow('active (breaker open)')
  if (state === 'active') return look.colors.green('active')
  // Disabled by an operator says no more than disabled.
  const isTold = stateReason !== null && stateReason !== 'endpoint_disabled'
  const reason = isTold ? ` (${stateReason})` : ''
  return state === 'disabled' ? look.colors.yellow(`disabled${reason}`) : look.colors.dim('removed')
}

/** Paths and queries may be secrets: a list is looked at over shoulders. */
const shortUrl = (url: string): string => {
  const { origin, pathname, search } = new URL(url)
  return pathname === '/' && search === '' ? origin : `${origin}/…`
}

export const showCount = ({ count, atLeast }: Standing): string =>
  `${count.toLocaleString('en-US')}${atLeast ? '+' : ''}`

/** A count in its colour; nothing is dim. */
export const marked = (look: Look, standing: Standing, color: 'yellow' | 'red'): string =>
  standing.count === 0 ? look.colors.dim('0') : look.colors[color](showCount(standing))

export const renderEndpoints = (
  look: Look,
  views: readonly { endpoint: Endpoint; standing: StandingByState }[],
): string => {
  if (views.length === 0) return 'There are no endpoints yet; bridge endpoint add makes one.'
  const rows = views.map(({ endpoint, standing }) => [
    endpoint.id,
    stateOf(look, endpoint),
    shortUrl(endpoint.url),
    endpoint.types.join(', '),
    marked(look, standing.waiting, 'yellow'),
    marked(look, standing.held, 'yellow'),
    marked(look, standing.dead, 'red'),
  ])
  const columns = [
    { title: 'ENDPOINT', shrinks: true },
    { title: 'STATE', shrinks: true },
    { title: 'URL', shrinks: true },
    { title: 'TYPES', shrinks: true },
    { title: 'WAITING', align: 'right' },
    { title: 'HELD', align: 'right' },
    { title: 'DEAD', align: 'right' },
  ] as const
  return renderTable(look, columns, rows)
}

export const renderEndpoint = (
  look: Look,
  of: { endpoint: Endpoint; standing: StandingByState; nowMs: number; showsHeaders?: boolean },
): string => {
  const { endpoint, standing, nowMs } = of
  const { filters } = endpoint
  const health = healthLines(endpoint, nowMs).map(line => look.colors.yellow(line))
  const filter = (values: readonly string[] | null): string => (values === null ? 'any' : values.join(', '))
  return renderFields(look, [
    ['Endpoint', look.colors.bold(endpoint.id)],
    ['URL', endpoint.url],
    ['State', stateOf(look, endpoint)],
    ['Types', endpoint.types.join(', ')],
    ['Sender domains', filter(filters.senderDomains)],
    ['Recipient domains', filter(filters.recipientDomains)],
    ['Bounce categories', filter(filters.bounceCategories)],
    ['Sources', filter(filters.sources)],
    ['At most', limitsText(endpoint.limits)],
    ['Headers', headersText(endpoint.headers, of.showsHeaders === true)],
    ['Authorization', endpoint.authorization?.scheme ?? none],
    ['Heartbeat', heartbeatText(endpoint.heartbeatEverySeconds)],
    ['Lane', endpoint.slow ? 'slow' : 'fast'],
    ['Health', health.length === 0 ? 'good' : health.join('\n')],
    ['Signed with', renderKeys(endpoint.keys, nowMs)],
    ['Waiting', standingLine(standing.waiting, nowMs)],
    ['Held', standingLine(standing.held, nowMs)],
    ['Dead letters', standingLine(standing.dead, nowMs)],
  ])
}

const limitsText = ({ maxPerSecond, maxInFlight }: Endpoint['limits']): string => {
  const parts = [
    ...(maxPerSecond === null ? [] : [`${maxPerSecond} a second`]),
    ...(maxInFlight === null ? [] : [`${maxInFlight} at the same time`]),
  ]
  return parts.length === 0 ? 'no limit' : parts.join(', ')
}

const headersText = (headers: Endpoint['headers'], showsValues: boolean): string => {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${showsValues ? value : masked}`)
  return lines.length === 0 ? none : lines.join('\n')
}

const heartbeatText = (seconds: number | null): string =>
  seconds === null ? 'never' : `every ${showDuration(seconds * 1_000)}`

const standingLine = (standing: Standing, nowMs: number): string => {
  const oldest = standing.oldestEventMs
  return oldest === null ? '0' : `${showCount(standing)}, the oldest event ${showAge(oldest, nowMs)}`
}

const renderKeys = (keys: readonly SigningKey[], nowMs: number): string => {
  const active = activeKeys(keys, nowMs)
  if (active.length === 0) return none
  return active.map(key => keyLine(key, nowMs)).join('\n')
}

const keyLine = ({ version, secret, signsUntilMs }: SigningKey, nowMs: number): string => {
  const what = secret === null ? 'derived' : `kept as ${secret}`
  const until =
    signsUntilMs === null ? '' : `, until ${showMoment(signsUntilMs)} (${showAge(signsUntilMs, nowMs)})`
  return `key ${version}, ${what}${until}`
}

/** Once, where a person has just made it. */
export const renderSecret = (look: Look, secret: string): string =>
  `Signing secret, for the receiver; it is not shown again:\n  ${look.colors.bold(secret)}`
