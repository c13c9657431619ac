import { eventSecond } from '../feedback/event-id.ts'
import type { DeliveryMessage } from './delivery-message.ts'
import type { SendResult } from './webhook-sender.ts'

/** An attempt that was made; `atMs` is its start, in Unix milliseconds. */
export type Attempt = { atMs: number; result: SendResult }

/** When an attempt ended: Unix milliseconds. */
export const endOf = (attempt: Attempt): number => attempt.atMs + attempt.result.tookMs

/** The HTTP status, or null where there was no answer. */
export const statusOf = (result: SendResult): number | null =>
  result.kind === 'answered' ? result.status : null

/** From the record's `timelogged` to `atMs`. */
export const ageOfEventMs = (eventId: string, atMs: number): number => atMs - eventSecond(eventId) * 1000

/** The attempt whose success a message carries because it could not be recorded. */
export const attemptOf = (by: NonNullable<DeliveryMessage['deliveredBy']>): Attempt => ({
  atMs: by.atMs,
  result: {
    kind: 'answered',
    status: by.status,
    tookMs: by.tookMs,
    retryAtMs: null,
    answer: '',
  },
})
