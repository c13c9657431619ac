import { errors } from 'undici'
import { describe, expect, test } from 'vitest'
import {
  AttemptFault,
  connectFailure,
  exchangeFailure,
  isOurFault,
  tlsFailure,
} from '../../../shared/adapters/webhook/attempt-fault.ts'

const system = (code: string) => Object.assign(new Error(code), { code, syscall: 'connect' })
const coded = (code: string) => Object.assign(new Error(code), { code })
const parser = (message: string) => new errors.HTTPParserError(`Response does not match (${message})`)

test.each([
  [['ECONNREFUSED'], 'connection_refused'],
  [['ECONNRESET'], 'connection_reset'],
  [['ETIMEDOUT'], 'connect_timeout'],
  [['EHOSTUNREACH'], 'connection_failed'],
  [['ENETUNREACH'], 'connection_failed'],
  [['EMFILE'], 'connection_failed'],
  [['ENETUNREACH', 'ECONNREFUSED'], 'connection_refused'],
  [['ECONNREFUSED', 'ECONNRESET'], 'connection_reset'],
  [['ETIMEDOUT', 'ECONNREFUSED'], 'connection_refused'],
  [['ENETUNREACH', 'EHOSTUNREACH'], 'connection_failed'],
] as const)('addresses that were tried and gave %j make %s', (codes, reason) => {
  expect(connectFailure(codes.map(system))).toBe(reason)
})

test.each([
  [coded('CERT_HAS_EXPIRED'), 'tls_expired'],
  [coded('CERT_NOT_YET_VALID'), 'tls_not_yet_valid'],
  [coded('DEPTH_ZERO_SELF_SIGNED_CERT'), 'tls_untrusted'],
  [coded('SELF_SIGNED_CERT_IN_CHAIN'), 'tls_untrusted'],
  [coded('UNABLE_TO_GET_ISSUER_CERT_LOCALLY'), 'tls_untrusted'],
  [coded('UNABLE_TO_VERIFY_LEAF_SIGNATURE'), 'tls_untrusted'],
  [coded('ERR_TLS_CERT_ALTNAME_INVALID'), 'tls_name_mismatch'],
  [coded('ERR_SSL_WRONG_VERSION_NUMBER'), 'tls_not_spoken'],
  [coded('ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE'), 'tls_failed'],
  [coded('ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL'), 'only_http2'],
  [system('ECONNRESET'), 'tls_reset'],
  [system('ETIMEDOUT'), 'tls_timeout'],
  [system('EPROTO'), 'tls_failed'],
  [new AttemptFault('tls_timeout'), 'tls_timeout'],
] as const)('a handshake that fails with %s is %s', (error, reason) => {
  expect(tlsFailure(error)).toBe(reason)
})

describe('an exchange that fails', () => {
  test.each([
    [system('ECONNRESET'), false, 'connection_reset'],
    [system('ECONNRESET'), true, 'head_cut_off'],
    [system('EPIPE'), false, 'connection_reset'],
    [system('ETIMEDOUT'), false, 'timeout'],
    [system('ETIMEDOUT'), true, 'head_timeout'],
    [new errors.SocketError('other side closed'), false, 'connection_reset'],
    [new errors.SocketError('other side closed'), true, 'head_cut_off'],
    [parser('Expected HTTP/, RTSP/ or ICE/'), true, 'not_http'],
    [parser('Invalid character in Content-Length'), true, 'content_length_invalid'],
    [parser("Content-Length can't be present with Transfer-Encoding"), true, 'content_length_invalid'],
    [parser('Invalid status code'), true, 'invalid_response'],
    [new errors.ResponseContentLengthMismatchError(), true, 'content_length_invalid'],
    [new errors.HeadersOverflowError(), true, 'headers_too_large'],
    [coded('ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED'), false, 'tls_failed'],
    [coded('EHOSTUNREACH'), false, 'connection_failed'],
    [new AttemptFault('dns_failed'), false, 'dns_failed'],
  ] as const)('with %s (a byte came: %s) is %s', (error, begun, reason) => {
    expect(exchangeFailure(error, begun)).toBe(reason)
  })
})

test('what undici refuses of ours is told from what endpoints do', () => {
  expect(isOurFault(new errors.InvalidArgumentError('invalid header'))).toBe(true)
  expect(isOurFault(new errors.SocketError('closed'))).toBe(false)
})
