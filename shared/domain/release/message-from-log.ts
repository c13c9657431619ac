import { type DeliveryMessage, messageVersion } from '../delivery/delivery-message.ts'
import type { Position } from '../delivery/position.ts'
import type { LoggedEvent } from '../polling/event-log.ts'

/** The message of an attempt, made anew from the log: the body is the one that was enqueued first, byte for byte. */
export const messageFromLog = (of: {
  event: LoggedEvent
  endpointId: string
  position: Position
}): DeliveryMessage => ({
  v: messageVersion,
  eventId: of.event.id,
  endpointId: of.endpointId,
  sourceId: of.event.sourceId,
  stream: of.event.stream,
  type: of.event.type,
  round: of.position.round,
  attempt: of.position.attempt,
  enqueuedAtMs: of.event.loggedAtMs,
  expiresAtSeconds: of.event.expiresAtSeconds,
  body: of.event.body,
  deliveredBy: null,
})
