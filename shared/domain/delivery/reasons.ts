import type { SendFailure } from './webhook-sender.ts'

/** An answer that is neither 2xx nor 410: `http_503`. */
export const httpReason = (status: number): string => `http_${status}`

/** The endpoint's own word that it is no more: why it is disabled and its deliveries are held. */
export const gone = 'answered_410'

const failures = {
  timeout: 'the deadline passed before the whole answer was there',
  dns_failed: "the host's name has no address",
  dns_timeout: 'the resolver did not answer in time',
  address_refused: 'the host has an address that is never connected to (loopback, private, reserved)',
  url_refused: 'the URL is none that is sent to',
  connection_refused: 'nothing listens at the address',
  connection_reset: 'the connection was closed before an answer came',
  connection_failed: 'there is no way to the host, or no socket for it',
  tls_failed: "no handshake, or a certificate that is not trusted or not this host's",
  invalid_response: 'what came back is not HTTP/1.1',
} as const satisfies Record<SendFailure, string>

const holds = {
  [gone]: 'the endpoint answered 410 and was disabled',
  endpoint_disabled: 'the endpoint is disabled',
  not_named: 'the endpoint of an earlier start was not named at this one (local bridge)',
  key_missing: 'a signing secret that the endpoint names is not in the secret store',
  key_invalid: 'a signing secret can not be used as one',
  key_expired: 'none of the key versions of the endpoint signs any more',
} as const

const ends = {
  endpoint_removed: 'the endpoint was removed: the delivery is cancelled',
  dropped_by_operator: 'an operator dropped what was held when the endpoint was enabled',
  purged_by_operator: 'an operator purged the dead letter: the delivery is cancelled',
  event_expired: 'the event is in the log no more: the delivery is cancelled',
  queue_refused: 'the queue will never take the message: a dead letter',
} as const

const begins = {
  replayed_by_operator: 'an operator began another round: it waits for its first attempt',
  recovered_by_operator: 'an operator recovered the event from the log: it waits for its first attempt',
} as const

const drops = {
  delivered_before: 'the message came after the delivery was recorded as delivered',
  cancelled_before: 'the message came after the delivery was cancelled',
  position_passed: 'the attempt of the message was settled before',
  same_batch: 'the same attempt came twice in one batch',
  settled_elsewhere: 'another worker settled the same attempt meanwhile',
} as const

/**
 * Every reason that an attempt, a delivery or a dropped message can have, with what it means; beside these there is
 * `http_<status>`. The codes are stable: people filter by them.
 */
export const deliveryReasons = { ...failures, ...holds, ...ends, ...begins, ...drops } as const
export type DeliveryReason = keyof typeof deliveryReasons
export type HoldReason = keyof typeof holds
export type DropReason = keyof typeof drops
