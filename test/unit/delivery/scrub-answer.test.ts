import { expect, test } from 'vitest'
import { scrubAnswer } from '../../../shared/domain/delivery/scrub-answer.ts'
import { answerKeptBytesMax } from '../../../shared/domain/delivery/webhook-sender.ts'

test.each([
  ['no such user jane.doe@example.com here', 'no such user [address] here'],
  ['{"to":"jane+x@example.com","n":1}', '{"to":"[address]","n":1}'],
  ['?to=jane%40example.com&n=1', '?to=[address]&n=1'],
  [String.raw`{"to":"jane\u0040example.com"}`, '{"to":"[address]"}'],
  ['a &#64; jane&#64;example.com', 'a &#64; [address]'],
  ['got Bearer abcdef123456 for it', 'got Bearer [secret] for it'],
  ['got authorization: Basic dXNlcjpwYXNzd29yZA==', 'got authorization: Basic [secret]'],
  ['jwt eyJhbGciOi.eyJzdWIiOi.c2ln end', 'jwt [secret] end'],
  ['key whsec_AAAABBBB= end', 'key [secret] end'],
  ['{"api_key":"abc123","n":1}', '{"api_key":"[secret]","n":1}'],
  ['password=hunter2&n=1', 'password=[secret]&n=1'],
])('%s', (answer, scrubbed) => {
  expect(scrubAnswer(answer, [])).toBe(scrubbed)
})

test.each([
  'Bearer token required',
  'invalid token supplied',
  'Basic realm="events"',
  '{"error":"not found","request_id":"6f9619ff-8b86-d011-b42d-00cf4fc964ff"}',
  '<html><body>502 Bad Gateway</body></html>',
])('%s is kept: it helps to see why', answer => {
  expect(scrubAnswer(answer, [])).toBe(answer)
})

test('our own secret is taken out in each notation', () => {
  const secret = 'p/"ss&é'
  const echoed = [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret),
    Buffer.from(secret).toString('base64'),
  ]
  for (const text of echoed) {
    expect(scrubAnswer(`sent ${text} by you`, [secret])).toMatch(/^sent "?\[secret\]"? by you$/)
  }
})

test('a secret that the bound has cut through is taken out as well', () => {
  const secret = 'correct-horse-battery'
  const answer = `${'x'.repeat(answerKeptBytesMax)}`.slice(0, answerKeptBytesMax - 10) + secret.slice(0, 10)
  const scrubbed = scrubAnswer(answer, [secret])
  expect(scrubbed).not.toContain('correct')
  expect(scrubAnswer('ends with correct-ho', [secret])).toBe('ends with correct-ho')
})

test('what is kept stays within its bound, and whole characters', () => {
  const scrubbed = scrubAnswer('é@b '.repeat(answerKeptBytesMax / 5), [])
  expect(Buffer.byteLength(scrubbed)).toBeLessThanOrEqual(answerKeptBytesMax)
  expect(scrubbed).not.toContain('\ufffd')
  expect(scrubbed.startsWith('[address] [address] ')).toBe(true)
})
