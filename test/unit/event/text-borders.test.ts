import { describe, expect, test } from 'vitest'
import { noFilters } from '../../../shared/domain/endpoint/endpoint.ts'
import {
  addressCharsMax,
  headerCharsMax,
  normalizeDomain,
  parseAddress,
  parseHeaderFrom,
} from '../../../shared/domain/event/addresses.ts'
import { buildEvent, cutTextCharsMax, eventBodyBytesMax } from '../../../shared/domain/event/build-event.ts'
import {
  listUnsubscribeCharsMax,
  parseListUnsubscribe,
} from '../../../shared/domain/event/list-unsubscribe.ts'
import { parseSmtpCodes } from '../../../shared/domain/event/smtp-codes.ts'
import { matchesEndpoint, noTypes, parseTypePattern } from '../../../shared/domain/event/subscriptions.ts'
import { suggestedActionForBounce } from '../../../shared/domain/event/suggested-action.ts'
import { testEvent } from '../../../shared/domain/event/test-event.ts'

describe('an address', () => {
  test('may have as many characters as the bound, and no more', () => {
    for (const [length, isRead] of [
      [addressCharsMax, true],
      [addressCharsMax + 1, false],
    ] as const) {
      const padded = `Jo ${' '.repeat(Math.max(0, length - 20))}<jo@example.com>`
        .slice(-length)
        .padStart(length, 'J')
      expect([padded.length, parseAddress(padded) !== null]).toEqual([length, isRead])
    }
  })

  test.each([
    [' jo@example.com ', 'jo@example.com'],
    ['<jo@example.com>', 'jo@example.com'],
    ['Jo <jo@example.com>', 'jo@example.com'],
    ['jo@example.com, an@example.com', null],
    ['', null],
    ['   ', null],
    [null, null],
    ['@example.com', null],
    ['jo@', null],
  ])('of %j is %j', (text, address) => {
    expect(parseAddress(text)?.address ?? null).toBe(address)
  })
})

describe('the author of a header', () => {
  test('is read up to a bound of its length', () => {
    const header = (length: number) => `"${'n'.repeat(length - 19)}" <jo@example.com>`
    expect([header(headerCharsMax).length, parseHeaderFrom(header(headerCharsMax)).address]).toEqual([
      headerCharsMax,
      'jo@example.com',
    ])
    expect(parseHeaderFrom(header(headerCharsMax + 1)).address).toBeNull()
  })

  test.each([
    ['', null],
    ['  "Jo" <jo@example.com>  ', 'jo@example.com'],
    ['Jo, of Example <jo@example.com>', 'jo@example.com'],
    ['Jo <x> and <jo@example.com>', null],
    ['Jo [<jo@example.com>] more', null],
    ['Jo @ Example <jo@example.com>', 'jo@example.com'],
    ['Jo @ Example <jo@example.com> x', null],
    ['Jo @ Example jo@example.com>', null],
  ])('of %j is %j', (header, address) => {
    expect(parseHeaderFrom(header).address).toBe(address)
  })
})

describe('a domain', () => {
  test.each([
    [' Example.COM. ', 'example.com'],
    [' Bücher.example ', 'xn--bcher-kva.example'],
    ['example.com..', 'example.com.'],
    ['', ''],
  ])('%j is compared as %j', (domain, normalized) => {
    expect(normalizeDomain(domain)).toBe(normalized)
  })
})

describe('a List-Unsubscribe header', () => {
  const url = '<https://a.example/u>'

  test('is searched up to a bound of its length', () => {
    expect(parseListUnsubscribe(url.padEnd(listUnsubscribeCharsMax)).https).toHaveLength(1)
    expect(parseListUnsubscribe(url.padEnd(listUnsubscribeCharsMax + 1)).https).toEqual([])
  })

  test('has its folding left out of a URL, and its comments between them', () => {
    const folded = '<https://a.example/\r\n \t u>, (one \\) (two) <https://no.example/>) <mailto:a@a.example>'
    expect(parseListUnsubscribe(folded)).toMatchObject({
      https: ['https://a.example/u'],
      mailto: ['mailto:a@a.example'],
    })
  })

  test('has a backslash outside of comments as any other text', () => {
    expect(parseListUnsubscribe(`\\${url}`).https).toEqual(parseListUnsubscribe(`x${url}`).https)
  })
})

describe('the types that a person wrote', () => {
  test.each(['x email.complaint', 'email.complaint x', 'email.complaint.', '*.*', 'email.*x'])(
    '%j is none',
    pattern => {
      expect(parseTypePattern(pattern).kind).toBe('invalid')
    },
  )

  test('are told with what there is, one or several', () => {
    expect(noTypes([' email.bonce '])).toMatch(
      /^"email\.bonce" is no type of event\. It must be one of email\.\S+, /,
    )
    expect(noTypes(['email.bonce', ' x y '])).toMatch(
      /^"email\.bonce", a text of another form are no types of event\. Each must be one of /,
    )
  })

  test('and categories fit in any letter case, with blanks around', () => {
    const facts = {
      senderDomain: null,
      recipientDomain: null,
      bounceCategory: ' Bad-Mailbox ',
      suggestedAction: 'none',
    } as const
    const event = { type: 'email.bounce.hard', sourceId: 'main', facts }
    const wanting = (category: string) => ({
      types: ['*'],
      filters: { ...noFilters, bounceCategories: [category] },
    })
    expect(matchesEndpoint(event, wanting('bad-mailbox'))).toBe(true)
    expect(matchesEndpoint(event, wanting('BAD-MAILBOX '))).toBe(true)
    expect(matchesEndpoint(event, wanting('bad-domain'))).toBe(false)
    // Two spellings of the German sharp s are one in upper case, and two letters in lower case.
    expect(matchesEndpoint({ ...event, facts: { ...facts, bounceCategory: 'ß' } }, wanting('ss'))).toBe(false)
  })
})

describe('what to do about a hard bounce', () => {
  const action = (category: string | null, enhanced_code: string | null) =>
    suggestedActionForBounce({ kind: 'hard', category, codes: { smtp_code: null, enhanced_code } })

  test('is nothing where it names no cause', () => {
    expect([action(null, null), action('', null), action('other', '2.1.1'), action(null, '2.2.0')]).toEqual([
      'none',
      'none',
      'none',
      'none',
    ])
    expect([action('other', '5.1.1'), action(' Bad-Mailbox', '2.1.1')]).toEqual(['suppress', 'suppress'])
  })
})

describe('the codes of a diagnostic', () => {
  test.each([
    // Amounts, parts of names, and what goes on behind them.
    ['smtp; 550 5.1.1 x', 550, '5.1.1'],
    ['host said: 550 5.1.1.', 550, '5.1.1'],
    ['host said: 550 no (5.1.1)', 550, '5.1.1'],
    ['host said: 550 no (5.1.1 x', 550, null],
    ['host said: 550 no x5.1.1)', 550, null],
    ['host said: 550 no: 5.1.1 x', 550, '5.1.1'],
    ['host said: 550 no:  "5.1.1" x', 550, '5.1.1'],
    ['host said: 550 no 5.1.1 x', 550, null],
    ['host said: 250 4.1.1 x', null, null],
    ['250 4.1.1 x', 250, null],
    ['host said: 550 2.1.1 x', 550, null],
    ['host said: 550 4.4.7 x', 550, '4.4.7'],
    ['550,1 x', null, null],
    ['550 ,1 x', 550, null],
    ['x =550 5.1.1', null, null],
    ['x ->550 5.1.1', 550, '5.1.1'],
    ['no: 5.1.1 x', null, null],
    ['status: 5.1.1 x', null, '5.1.1'],
    ['x (5.1.1) and #5.1.2', null, '5.1.1'],
    ['5.1.1 and (5.1.2)', null, '5.1.1'],
    ['550-The account 550 5.1.1 x', 550, '5.1.1'],
    ['550 one, said: 554 5.6.0 x', 550, null],
  ] as const)('%j are %o and %o', (text, smtp_code, enhanced_code) => {
    expect(parseSmtpCodes(text)).toEqual({ smtp_code, enhanced_code })
  })
})

describe('an event', () => {
  const built = (fields: Readonly<Record<string, unknown>>, stream: 'bounces' | 'complaints' = 'bounces') => {
    const value = { uuid: 'u', timelogged: 1_795_000_000, ...fields }
    const record = { uuid: 'u', second: 1_795_000_000, raw: { text: JSON.stringify(value), value } }
    return buildEvent({ source: { id: 'main' }, stream, record })
  }
  const diagnosticOf = (body: string): string => JSON.parse(body).data.bounce.diagnostic

  test('has its long texts cut where it would be too large, and no shorter one, and through no character', () => {
    const long = 'd'.repeat(eventBodyBytesMax / 2)
    const category = 'c'.repeat(cutTextCharsMax)
    const { body, bodyBytes } = built({ bounce_type: 'h', dsndiag: long, bouncecat: category })
    expect(bodyBytes).toBeLessThanOrEqual(eventBodyBytesMax)
    expect(diagnosticOf(body)).toBe('d'.repeat(cutTextCharsMax))
    expect(JSON.parse(body).data.bounce.category).toBe(category)
    expect(JSON.parse(body).data.raw.dsndiag).toBe(long)
    const pairs = built({ bounce_type: 'h', dsndiag: `${'d'.repeat(cutTextCharsMax - 1)}😀${long}` })
    expect(diagnosticOf(pairs.body)).toBe('d'.repeat(cutTextCharsMax - 1))
    const within = built({ bounce_type: 'h', dsndiag: `${'d'.repeat(cutTextCharsMax - 2)}😀${long}` })
    expect(diagnosticOf(within.body)).toBe(`${'d'.repeat(cutTextCharsMax - 2)}😀`)
  })

  test('is kept whole up to the bound of its bytes', () => {
    const dsndiag = 'd'.repeat(2 * cutTextCharsMax)
    const bytesLeft = eventBodyBytesMax - built({ bounce_type: 'h', dsndiag, more: '' }).bodyBytes
    const whole = built({ bounce_type: 'h', dsndiag, more: 'm'.repeat(bytesLeft) })
    expect([whole.bodyBytes, diagnosticOf(whole.body)]).toEqual([eventBodyBytesMax, dsndiag])
    const beyond = built({ bounce_type: 'h', dsndiag, more: 'm'.repeat(bytesLeft + 1) })
    expect(diagnosticOf(beyond.body)).toHaveLength(cutTextCharsMax)
  })

  test('of a complaint has no return path where that was the null path', () => {
    const returnPath = (text: string) =>
      JSON.parse(built({ header_return_path: text }, 'complaints').body).data.complaint.return_path
    expect([returnPath(' <> '), returnPath('<a@a.example>')]).toEqual([null, '<a@a.example>'])
  })

  test('for a test says for whom it is', () => {
    const { id, body } = testEvent({
      type: 'webhook.test',
      endpointId: 'shop',
      uuid: 'u',
      second: 1_795_000_000,
    })
    expect(JSON.parse(body)).toMatchObject({ id, type: 'webhook.test', data: { endpoint: 'shop' } })
  })
})
