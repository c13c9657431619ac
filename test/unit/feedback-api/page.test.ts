import { describe, expect, it } from 'vitest'
import { UnreadablePage } from '../../../shared/adapters/feedback-api/errors.ts'
import { createMask } from '../../../shared/adapters/feedback-api/mask.ts'
import { readPage } from '../../../shared/adapters/feedback-api/page.ts'
import { answerOf, atMs, where } from './answers.ts'

const mask = createMask(['secret-token'])
const page = (body: string, headers: Record<string, string> = {}) =>
  readPage(answerOf(200, body, headers), where, mask)
function errorOf(body: string, headers: Record<string, string> = {}): UnreadablePage {
  try {
    page(body, headers)
  } catch (error) {
    if (error instanceof UnreadablePage) return error
    throw error
  }
  throw new Error('no error')
}

describe('a page', () => {
  it('holds its records as text and value, next, count, size, and what the headers say', () => {
    const body =
      '{"count":2,"next":"https://h/x?page=2","previous":null,"results":[{"n":12345678901234567890}, 7]}'
    expect(page(body, { 'x-ratelimit-remaining': '5' })).toEqual({
      records: [
        { text: '{"n":12345678901234567890}', value: { n: 12345678901234567000 } },
        { text: '7', value: 7 },
      ],
      next: 'https://h/x?page=2',
      count: 2,
      bytes: body.length,
      serverDateMs: null,
      rateLimit: { limit: null, remaining: 5, resetAtMs: null },
    })
  })

  it.each(['null', '""'])('is the last one where next is %s', next => {
    expect(page(`{"next":${next},"results":[]}`).next).toBeNull()
  })

  it('is the last one where there is no next', () => {
    expect(page('{"results":[]}')).toMatchObject({ next: null, count: null, records: [] })
  })

  it('may hold anything in what is not needed', () => {
    expect(page('{"count":"many","previous":7,"more":{"a":1},"results":[1]}')).toMatchObject({
      count: null,
      next: null,
    })
  })

  it.each([
    ['no results', '{"count":1}', 'results: Invalid input: expected array, received undefined'],
    ['an object as results', '{"results":{}}', 'results: Invalid input: expected array, received object'],
    ['null as results', '{"results":null}', 'results: Invalid input: expected array, received null'],
    ['a number as next', '{"next":2,"results":[]}', 'next: Invalid input: expected string, received number'],
    ['an array around it', '[{"results":[]}]', 'the page: Invalid input: expected object, received array'],
    ['null instead of it', 'null', 'the page: Invalid input: expected object, received null'],
    ['an empty body', ' \n', 'the body is empty; a JSON object was expected'],
    ['HTML', '<html>Maintenance</html>', 'not JSON, but HTML or XML: <html>Maintenance</html>'],
    ['a text that breaks off', '{"results":[{"a":1}', 'not JSON, from character 19 of 19 on'],
    ['a text that breaks off in a string', '{"results":["jo@exam', 'not JSON, from character 20 of 20 on'],
    ['a text that breaks off before a value', '{"results":', 'not JSON: it breaks off after 11 characters'],
    ['a fault inside', '{"results":[1,]}', 'not JSON: 16 characters'],
    ['two pages', '{"results":[]}{"results":[]}', 'not JSON, from character 14 of 28 on'],
  ])('with %s is an error that says where', (_, body, problem) => {
    const error = errorOf(body)
    expect(error.message).toBe(`${where} brought no readable page: ${problem}`)
    expect(error).toMatchObject({ code: 'feedback_unreadable_page', failure: 'unreadable', status: 200 })
  })

  it('in an encoding that was not asked for is an error that names it', () => {
    expect(errorOf('\u001f\u008b', { 'content-encoding': 'gzip' }).message).toContain(
      'content-encoding is gzip',
    )
    expect(page('{"results":[]}', { 'content-encoding': 'identity' }).records).toEqual([])
  })

  it('that can not be read never shows an address or the token', () => {
    for (const body of [
      '{"results":[{"rcpt":"jo@example.com" "a"}]}',
      '{"results":["jo@example.com secret-token',
      '<p>jo@example.com secret-token</p>',
      '{"results":"jo@example.com secret-token"}',
      'jo@example.com',
    ]) {
      const error = errorOf(body)
      expect(`${error.message}${JSON.stringify(error)}${error.stack}`).not.toMatch(/jo@|secret-token/)
      expect(error.cause).toBeUndefined()
    }
  })

  it('keeps what the headers say where it can not be read', () => {
    expect(errorOf('', { date: 'Fri, 20 Nov 2026 09:30:00 GMT' }).facts.serverDateMs).toBe(atMs)
  })

  it('may nest as deeply as it likes', () => {
    const deep = '['.repeat(500_000) + ']'.repeat(500_000)
    expect(page(`{"results":[${deep}]}`).records[0]?.text).toBe(deep)
    expect(errorOf(`{"results":[${'['.repeat(500_000)}`).failure).toBe('unreadable')
  })

  it('is read with every result key that JSON.parse would take', () => {
    expect(page('{"results":5,"resul\\u0074s":["\\ud83d\\ude00 \\ud800"]}').records).toEqual([
      { text: '"\\ud83d\\ude00 \\ud800"', value: '\u{1f600} \ud800' },
    ])
  })
})
