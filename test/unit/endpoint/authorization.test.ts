import { expect, test } from 'vitest'
import {
  authorizationBytesMax,
  authorizationHeader,
  secretsInAuthorization,
} from '../../../shared/domain/endpoint/authorization.ts'

test.each([
  // RFC 7617, sections 2 and 2.1; RFC 6750, section 2.1.
  ['basic', 'Aladdin:open sesame', 'Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=='],
  ['basic', 'test:123£', 'Basic dGVzdDoxMjPCow=='],
  ['basic', 'user:', 'Basic dXNlcjo='],
  ['basic', 'user: kept blank \r\n', 'Basic dXNlcjoga2VwdCBibGFuayA='],
  ['bearer', 'mF_9.B5f-4.1JqM', 'Bearer mF_9.B5f-4.1JqM'],
  ['bearer', ' abc+/== \n', 'Bearer abc+/=='],
] as const)('%s %j', (scheme, secret, value) => {
  expect(authorizationHeader(scheme, secret)).toEqual({ kind: 'header', value })
})

test.each([
  ['basic', 'no-colon-hunter2'],
  ['basic', ':hunter2'],
  ['basic', 'user:hunter2\nx'],
  ['basic', 'user:hunter2\ud800'],
  ['bearer', ''],
  ['bearer', 'hunter2 hunter2'],
  ['bearer', 'user:hunter2'],
  ['bearer', 'hunter2=x'],
  ['bearer', 'hunter2'.repeat(authorizationBytesMax)],
] as const)('%s %j is refused without being told', (scheme, secret) => {
  const header = authorizationHeader(scheme, secret)
  expect(header.kind).toBe('invalid')
  expect(JSON.stringify(header)).not.toContain('hunter2')
})

test('what is secret of a header is what an answer may not show', () => {
  expect(secretsInAuthorization('Basic dXNlcjpwYXNz')).toEqual(['dXNlcjpwYXNz', 'user:pass', 'pass'])
  expect(secretsInAuthorization('Bearer abc')).toEqual(['abc'])
})
