import type { SendFailure } from './webhook-sender.ts'

/** An answer that is neither 2xx nor 410: `http_503`. */
export const httpReason = (status: number): string => `http_${status}`

/** The endpoint's own word that it is no more: why it is disabled and its deliveries are held. */
export const gone = 'answered_410'

/** Why an endpoint is disabled that had no success for days. */
export const failingTooLong = 'failing_too_long'

/** Why a heartbeat was not sent that nobody has a use for any more. */
export const heartbeatLate = 'heartbeat_late'

const failures = {
  timeout: 'the endpoint took the request and answered nothing until the deadline',
  connections_busy: 'every connection that the host is allowed was in use until the deadline',
  connect_timeout: 'no address of the host took a connection until the deadline (packets are dropped)',
  tls_timeout: 'the TLS handshake did not end until the deadline',
  head_timeout: "the answer's head began, or interim answers (1xx) came; it was not whole at the deadline",
  body_timeout: "the answer's head came, but its body was not whole at the deadline",
  dns_timeout: 'the resolver did not answer in time',
  dns_failed: 'the resolver answered with an error (SERVFAIL, refused)',
  dns_not_found: "the host's name does not exist, or has no address",
  address_refused: 'the host has an address that is never connected to (loopback, private, reserved)',
  url_refused: 'the URL is none that is sent to',
  connection_refused: 'nothing listens at the address',
  connection_reset: 'the connection was closed or reset before a byte of an answer came',
  connection_failed: 'there is no way to the host, or no socket for it',
  tls_reset: 'the connection was closed or reset in the TLS handshake',
  tls_not_spoken: 'what listens at the port speaks no TLS',
  tls_untrusted: 'no authority vouches for the certificate: self-signed, or an intermediate is missing',
  tls_expired: 'the certificate, or one it rests on, has expired',
  tls_not_yet_valid: 'the certificate, or one it rests on, is not valid yet',
  tls_name_mismatch: "the certificate is for other names than the host's",
  tls_failed: 'TLS could not be agreed on: version, cipher, a client certificate, or a bad certificate',
  not_http: 'what came back does not begin as HTTP/1 does: another protocol, or HTTP/0.9',
  only_http2: 'what listens there speaks HTTP/2 alone; HTTP/1.1 is what is sent',
  head_cut_off: "the connection was closed or reset in the middle of the answer's head",
  headers_too_large: "the answer's head is over 16 KiB",
  content_length_invalid:
    'the answer tells its length in no valid way: no number, two lengths, or with chunks',
  interim_endless: 'interim answers (1xx) came without end, and never the answer',
  protocol_switch: 'the endpoint answered 101, a change of protocol that nobody asked for',
  invalid_response: 'what came back begins as HTTP/1 does, and then breaks its rules',
} as const satisfies Record<SendFailure, string>

const holds = {
  [gone]: 'the endpoint answered 410 and was disabled',
  endpoint_disabled: 'the endpoint is disabled',
  not_named: 'the endpoint of an earlier start was not named at this one (local bridge)',
  failing_too_long: 'no delivery succeeded for days, and the endpoint was disabled',
  breaker_open: 'the endpoint failed again and again: only probes are sent until one succeeds',
  endpoint_paused: 'the endpoint asked for patience, with Retry-After on 429 or 503',
  paced: 'more came than the limits of the endpoint take: it is sent by and by',
  key_missing: 'a signing secret that the endpoint names is not in the secret store',
  key_invalid: 'a signing secret can not be used as one',
  key_expired: 'none of the key versions of the endpoint signs any more',
  authorization_missing:
    'what the endpoint wants to be asked with (basic, bearer) is not in the secret store',
  authorization_invalid: 'what is kept for the endpoint is no user:password, or no bearer token',
} as const

const ends = {
  endpoint_removed: 'the endpoint was removed: the delivery is cancelled',
  dropped_by_operator: 'an operator dropped what was held when the endpoint was enabled',
  purged_by_operator: 'an operator purged the dead letter: the delivery is cancelled',
  forgotten: 'an operator had the recipient forgotten: the delivery is cancelled',
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

const leftOut = { [heartbeatLate]: 'the heartbeat came when the next one was due: it is left out' } as const

/**
 * Every reason that an attempt, a delivery, a dropped message or a heartbeat can have, with what it means; beside these there is
 * `http_<status>`. The codes are stable: people filter by them.
 */
export const deliveryReasons = { ...failures, ...holds, ...ends, ...begins, ...drops, ...leftOut } as const
export type DeliveryReason = keyof typeof deliveryReasons
export type HoldReason = keyof typeof holds
export type DropReason = keyof typeof drops
