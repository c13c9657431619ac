import type { Delivery } from '../../../shared/domain/delivery/delivery.ts'
import { type Endpoint, endpointDefaults, noFilters } from '../../../shared/domain/endpoint/endpoint.ts'
import { eventId } from '../../../shared/domain/feedback/event-id.ts'
import type { LoggedEvent } from '../../../shared/domain/polling/event-log.ts'

/** 2026-11-20T00:00:00Z */
export const dayStart = 1_795_132_800
export const day = '2026-11-20'
const nowMs = (dayStart + 7_200) * 1_000

/** An event id of a second of the day, alike for the same arguments. */
export const idAt = (second: number, uuid = 'record'): string =>
  eventId({ sourceId: 'main', stream: 'bounces', uuid, second: dayStart + second })

export const sampleEvent = (
  second: number,
  uuid = 'record',
  fields: Partial<LoggedEvent> = {},
): LoggedEvent => ({
  id: idAt(second, uuid),
  sourceId: 'main',
  stream: 'bounces',
  type: 'email.bounce.hard',
  recordId: uuid,
  second: dayStart + second,
  body: JSON.stringify({ id: idAt(second, uuid), data: { raw: { uuid } } }),
  endpointIds: ['shop'],
  loggedAtMs: nowMs,
  expiresAtSeconds: dayStart + 35 * 86_400,
  ...fields,
})

let writes = 0

export const sampleDelivery = (fields: Partial<Delivery> = {}): Delivery => {
  writes += 1
  return {
    endpointId: 'shop',
    eventId: idAt(0),
    sourceId: 'main',
    stream: 'bounces',
    state: 'waiting',
    position: { round: 1, attempt: 1 },
    retryAtMs: nowMs,
    dueMs: nowMs,
    firstFailureAtMs: nowMs,
    reason: 'status_500',
    attempts: [],
    writeId: `write-${writes}`,
    updatedAtMs: nowMs,
    expiresAtSeconds: dayStart + 35 * 86_400,
    ...fields,
  }
}

/** Delivered at the first attempt: the common case. */
export const deliveredDelivery = (fields: Partial<Delivery> = {}): Delivery =>
  sampleDelivery({
    state: 'delivered',
    retryAtMs: null,
    dueMs: null,
    firstFailureAtMs: null,
    reason: null,
    attempts: [
      {
        position: { round: 1, attempt: 1 },
        atMs: nowMs,
        tookMs: 41.5,
        status: 200,
        reason: null,
        answer: '',
      },
    ],
    ...fields,
  })

export const sampleEndpoint = (fields: Partial<Endpoint> = {}): Endpoint => ({
  ...endpointDefaults,
  id: 'shop',
  url: 'https://shop.example/hooks',
  types: ['email.bounce.*', 'email.complaint'],
  filters: { ...noFilters, senderDomains: ['acme.io'] },
  keys: [
    { version: 1, secret: null, signsUntilMs: nowMs },
    { version: 2, secret: 'own', signsUntilMs: null },
  ],
  ...fields,
})
