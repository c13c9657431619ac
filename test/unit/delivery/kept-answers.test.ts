import { describe, expect, test } from 'vitest'
import { answerWithoutSecrets, requestHeaders } from '../../../shared/domain/delivery/post.ts'
import { scrubAnswer } from '../../../shared/domain/delivery/scrub-answer.ts'
import { answerKeptBytesMax } from '../../../shared/domain/delivery/webhook-sender.ts'
import { endpointOf } from './harness.ts'

const secret = 'correct-horse-battery'
/** An answer of so many bytes that ends with this. */
const ending = (text: string, bytes = answerKeptBytesMax): string =>
  `${'x'.repeat(bytes - text.length)}${text}`

describe('a secret that the bound has cut through', () => {
  test.each([4, 5, 10, secret.length - 1])('is marked after %i of its characters', length => {
    const begin = secret.slice(0, length)
    const kept = 'x'.repeat(answerKeptBytesMax - length)
    expect(scrubAnswer(ending(begin), [secret])).toBe(`${kept}[secret]`.slice(0, answerKeptBytesMax))
  })

  test('is kept where three characters of it are left: these stand in answers by chance', () => {
    expect(scrubAnswer(ending(secret.slice(0, 3)), [secret])).toBe(ending(secret.slice(0, 3)))
  })

  test('is thought of in answers that may have been cut, by a character of four bytes, and in no shorter ones', () => {
    const cut = answerKeptBytesMax - 3
    expect(scrubAnswer(ending('correct', cut), [secret])).toBe(`${'x'.repeat(cut - 7)}[secret]`)
    expect(scrubAnswer(ending('correct', cut - 1), [secret])).toBe(ending('correct', cut - 1))
  })

  test('is left where the answer ends with nothing of it', () => {
    expect(scrubAnswer(ending(' end'), [secret])).toBe(ending(' end'))
  })
})

test('a secret of four characters is taken out, a shorter one is not', () => {
  expect(scrubAnswer('it was abcd and abc', ['abcd'])).toBe('it was [secret] and abc')
  expect(scrubAnswer('it was abcd and abc', ['abc'])).toBe('it was abcd and abc')
})

describe('what is kept', () => {
  test('may have as many bytes as the bound says, and is cut behind them', () => {
    const full = 'y'.repeat(answerKeptBytesMax)
    expect(scrubAnswer(full, [])).toBe(full)
    expect(scrubAnswer(`${full}z`, [])).toBe(full)
  })

  test('ends before a character that the bound cuts in two', () => {
    const before = 'y'.repeat(answerKeptBytesMax - 1)
    expect(scrubAnswer(`${before}é`, [])).toBe(before)
  })
})

describe('the value of an endpoint’s header', () => {
  const credentials = { kind: 'credentials', keys: [], authorization: null } as const
  const shownTo = (value: string, answer: string) =>
    answerWithoutSecrets(answer, { endpoint: endpointOf({ headers: { 'x-tenant': value } }), credentials })

  test('is taken out of an answer where it has eight characters or more', () => {
    expect(shownTo('acme-123', 'for acme-123')).toBe('for [secret]')
    expect(shownTo('acme-12', 'for acme-12')).toBe('for acme-12')
  })

  test('is sent as it is, without an authorization where there is none', () => {
    const endpoint = endpointOf({ headers: { 'x-tenant': 'acme' } })
    const key = new Uint8Array(32).fill(1)
    const event = { eventId: 'evt_1', body: '{}' }
    const headers = requestHeaders({ event, endpoint, credentials: { ...credentials, keys: [key] } }, 1_999)
    expect(headers).toMatchObject({ 'x-tenant': 'acme', 'webhook-timestamp': '1' })
    expect('authorization' in headers).toBe(false)
  })
})
