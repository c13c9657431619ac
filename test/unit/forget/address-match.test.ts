import { describe, expect, test } from 'vitest'
import { createAddressMatch } from '../../../shared/domain/forget/address-match.ts'
import { loggedEvent } from '../../integration/cli/filled-table.ts'

const matchOf = (given: string) => {
  const match = createAddressMatch(given)
  if (match === null) throw new Error('no address')
  return match
}

const bodyOf = (fields: Readonly<Record<string, unknown>>): string =>
  loggedEvent({ second: 1_795_000_000, uuid: 'a', fields: { bounce_type: 'h', ...fields } }).body

describe('an event is about the recipient', () => {
  test.each([
    ['as it was given', 'Jo@Example.com', 'Jo@Example.com'],
    ['in another letter case', 'JO@EXAMPLE.COM', 'jo@example.com'],
    ['with a name around it', 'Jo <jo@example.com>', 'jo@example.com'],
    ['given with a name around it', 'jo@example.com', '"Jo, A" <jo@example.com>'],
    ['whose domain is written in Unicode', 'jo@Bücher.example', 'jo@xn--bcher-kva.example'],
    ['whose domain is given in Unicode', 'jo@xn--bcher-kva.example', 'jo@bücher.example'],
    ['among several, which nobody could tell apart', 'an@example.com, jo@example.com', 'jo@example.com'],
    ['with something around it that no parser takes', '(<<jo@example.com>>)', 'jo@example.com'],
    ['with a quoted local part', '"a b"@example.com', '"a b"@example.com'],
  ])('%s', (_, rcpt, given) => {
    expect(matchOf(given).ofBody(bodyOf({ rcpt }))).toBe('recipient')
  })

  test('however its JSON escapes it', () => {
    const body = bodyOf({ rcpt: 'jo@example.com' }).replaceAll('jo@', '\\u006ao\\u0040')
    expect(body).not.toContain('jo@')
    expect(matchOf('jo@example.com').ofBody(body)).toBe('recipient')
  })
})

test.each([
  'banjo@example.com',
  'jo@example.community',
  'jo@example.com.au',
  'x+jo@example.com',
  'an@example.com',
  null,
])('an event of %s is none of jo@example.com', rcpt => {
  expect(matchOf('jo@example.com').ofBody(bodyOf({ rcpt }))).toBe('none')
})

test.each([
  ['what a server said', { dsndiag: 'smtp; 550 5.1.1 <Jo@Example.com>: unknown' }],
  ['a link', { header_list_unsubscribe: '<https://acme.io/u?e=jo%40example.com>' }],
  ['a key', { 'jo@example.com': 1 }],
])('an event of another recipient mentions it in %s', (_, fields) => {
  expect(matchOf('jo@example.com').ofBody(bodyOf({ rcpt: 'an@example.com', ...fields }))).toBe('mention')
})

test.each([
  ['bare', 'jo@example.com', true],
  ['in a text', 'to:<JO@example.com>.', true],
  ['at the end of a sentence', 'It was jo@example.com.', true],
  ['behind an escaped line end', JSON.stringify({ a: 'x\njo@example.com' }), true],
  ['escaped', '{"a":["\\u006a\\u006f@example.com"]}', true],
  ['in JSON within JSON', JSON.stringify({ body: JSON.stringify({ raw: '\njo@example.com' }) }), true],
  ['in the link of a value', JSON.stringify({ u: 'https://a.example/?e=jo%40example.com' }), true],
  ['as the end of another one', '{"rcpt":"banjo@example.com"}', false],
  ['as the beginning of another one', '{"rcpt":"jo@example.com.au"}', false],
  ['nowhere', '{"rcpt":"jo@example.org"}', false],
])('a text that may be anything: %s', (_, text, held) => {
  expect(matchOf('jo@example.com').isIn(text)).toBe(held)
})

test('a text of a hundred thousand brackets is looked through as any other', () => {
  const deep = `${'['.repeat(100_000)}"jo@example.com"${']'.repeat(100_000)}`
  expect(matchOf('jo@example.com').isIn(deep)).toBe(true)
})

test.each(['', 'jo', '@example.com', 'a@example.com, b@example.com', 'Undisclosed Recipients:;'])(
  '%j is no address to forget',
  given => {
    expect(createAddressMatch(given)).toBeNull()
  },
)
