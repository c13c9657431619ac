import { errors } from 'undici'
import { describe, expect, test } from 'vitest'
import {
  AttemptFault,
  connectFailure,
  exchangeFailure,
  isOurFault,
} from '../../../shared/adapters/webhook/attempt-fault.ts'

const system = (code: string) => Object.assign(new Error(code), { code, syscall: 'connect' })
const coded = (code: string) => Object.assign(new Error(code), { code })

describe('a connection that does not come about', () => {
  test.each([
    [system('ECONNREFUSED'), 'connection_refused'],
    [system('ECONNRESET'), 'connection_reset'],
    [coded('ECONNRESET'), 'connection_reset'],
    [system('ETIMEDOUT'), 'timeout'],
    [system('EHOSTUNREACH'), 'connection_failed'],
    [system('ENETUNREACH'), 'connection_failed'],
    [system('EMFILE'), 'connection_failed'],
    [coded('CERT_HAS_EXPIRED'), 'tls_failed'],
    [coded('DEPTH_ZERO_SELF_SIGNED_CERT'), 'tls_failed'],
    [coded('ERR_TLS_CERT_ALTNAME_INVALID'), 'tls_failed'],
    [coded('ERR_SSL_WRONG_VERSION_NUMBER'), 'tls_failed'],
    [system('EPROTO'), 'tls_failed'],
    [new errors.ConnectTimeoutError(), 'timeout'],
    [new AttemptFault('address_refused'), 'address_refused'],
    [new AggregateError([system('ENETUNREACH'), system('ECONNREFUSED')]), 'connection_refused'],
    [new AggregateError([system('ENETUNREACH'), system('EHOSTUNREACH')]), 'connection_failed'],
  ])('with %s is %s', (error, reason) => {
    expect(connectFailure(error, 'https:')).toBe(reason)
  })
})

describe('an exchange that fails', () => {
  test.each([
    [system('ECONNRESET'), false, 'connection_reset'],
    [system('EPIPE'), false, 'connection_reset'],
    [new errors.SocketError('other side closed'), false, 'connection_reset'],
    [new errors.SocketError('other side closed'), true, 'invalid_response'],
    [new errors.HTTPParserError('Expected HTTP/'), true, 'invalid_response'],
    [new errors.HeadersOverflowError(), true, 'invalid_response'],
    [coded('ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED'), false, 'tls_failed'],
    [coded('EHOSTUNREACH'), false, 'connection_failed'],
    [new AttemptFault('dns_failed'), false, 'dns_failed'],
  ])('with %s (a byte came: %s) is %s', (error, begun, reason) => {
    expect(exchangeFailure(error, begun)).toBe(reason)
  })
})

test('what undici refuses of ours is told from what endpoints do', () => {
  expect(isOurFault(new errors.InvalidArgumentError('invalid header'))).toBe(true)
  expect(isOurFault(new errors.SocketError('closed'))).toBe(false)
})
