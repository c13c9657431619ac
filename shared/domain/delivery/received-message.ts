import { EventIdError, eventSecond } from '../feedback/event-id.ts'
import { type DecodedMessage, decodeMessage } from './delivery-message.ts'
import type { FaultCount, Lane } from './delivery-queue.ts'

/** A message as a lane handed it out. */
export type ReceivedMessage = {
  lane: Lane
  messageId: string
  receiptHandle: string
  body: string
  group: string | null
  faults: FaultCount | null
  /** When it was sent to the queue: Unix milliseconds. */
  sentAtMs: number
}

/**
 * What the body says. One whose event id is none is unreadable too: its delivery has no place in the table, and
 * asking for it would fail the whole batch; nor may it be a header, or stand in a line.
 */
export const decodeReceived = (received: ReceivedMessage): DecodedMessage => {
  const decoded = decodeMessage(received.body)
  if (decoded.kind !== 'message' && decoded.kind !== 'heartbeat') return decoded
  try {
    eventSecond(decoded.kind === 'message' ? decoded.message.eventId : decoded.heartbeat.eventId)
    return decoded
  } catch (error) {
    if (error instanceof EventIdError) return { kind: 'unreadable', reason: `eventId: ${error.code}` }
    throw error
  }
}
