import { errors } from 'undici'
import { describe, expect, it } from 'vitest'
import { unreachableReason } from '../../../shared/adapters/feedback-api/unreachable-reason.ts'

const fault = (code: string) => Object.assign(new Error('the text of the error'), { code })

describe('why there was no answer', () => {
  it.each([
    ['ETIMEDOUT', 'timeout'],
    ['UND_ERR_CONNECT_TIMEOUT', 'timeout'],
    ['ENOTFOUND', 'dns_failed'],
    ['EAI_AGAIN', 'dns_failed'],
    ['ECONNREFUSED', 'connection_refused'],
    ['ECONNRESET', 'connection_reset'],
    ['EPIPE', 'connection_reset'],
    ['UND_ERR_SOCKET', 'connection_reset'],
    ['EHOSTUNREACH', 'connection_failed'],
    ['UND_ERR_CLOSED', 'connection_failed'],
    ['CERT_HAS_EXPIRED', 'tls_failed'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls_failed'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'tls_failed'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls_failed'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls_failed'],
    ['UND_ERR_HEADERS_OVERFLOW', 'invalid_response'],
    ['toString', 'connection_failed'],
  ])('%s is told as %s, by its code alone', (code, reason) => {
    expect(unreachableReason(fault(code))).toEqual({ reason, detail: code })
  })

  it('is a failed connection where each of several addresses failed', () => {
    expect(unreachableReason(new AggregateError([new Error('x')]))?.reason).toBe('connection_failed')
  })

  it('is an invalid response where what came is no HTTP, and never quotes it', () => {
    const error = new errors.HTTPParserError('Expected HTTP/ but got jo@example.com')
    expect(unreachableReason(error)).toEqual({ reason: 'invalid_response', detail: 'it was no HTTP' })
  })

  it('is nothing for a fault of ours', () => {
    expect(unreachableReason(new TypeError('x'))).toBeNull()
    expect(unreachableReason(fault('UND_ERR_INVALID_ARG'))).toBeNull()
    expect(unreachableReason('x')).toBeNull()
  })
})
