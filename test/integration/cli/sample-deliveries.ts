import { loggedEvent } from './filled-table.ts'

export const nowSecond = Math.floor(Date.now() / 1_000)

/** An event of so many seconds ago that matched both endpoints. */
export const eventAt = (
  agoSeconds: number,
  uuid: string,
  fields: Partial<Parameters<typeof loggedEvent>[0]> = {},
) => loggedEvent({ second: nowSecond - agoSeconds, uuid, endpointIds: ['crm', 'shop'], ...fields })

/** The same of a hard bounce, whose record has these fields. */
export const bounceAt = (agoSeconds: number, uuid: string, fields: Readonly<Record<string, unknown>> = {}) =>
  eventAt(agoSeconds, uuid, { fields: { bounce_type: 'h', rcpt: 'jo@a.example', ...fields } })

export const dead = {
  state: 'dead',
  reason: 'http_500',
  dueMs: Date.now(),
  position: { round: 1, attempt: 10 },
} as const
export const held = { state: 'held', reason: 'endpoint_disabled', dueMs: Date.now() } as const
