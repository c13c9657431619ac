import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  addressCharsMax,
  headerCharsMax,
  normalizeDomain,
  parseHeaderFrom,
  parseRecipient,
} from '../../../shared/domain/event/addresses.ts'

const nobody = { address: null, normalized: null, domain: null }

describe('the recipient', () => {
  it.each([
    ['Jo@Example.com', 'Jo@Example.com', 'jo@example.com', 'example.com'],
    ['<Jo@Example.com>', 'Jo@Example.com', 'jo@example.com', 'example.com'],
    [' jo@example.com\r\n', 'jo@example.com', 'jo@example.com', 'example.com'],
    ['Jo <jo@example.com>', 'jo@example.com', 'jo@example.com', 'example.com'],
    ['jo@example.com (at home)', 'jo@example.com', 'jo@example.com', 'example.com'],
    ['"Jo B"@Example.com', '"Jo B"@Example.com', '"jo b"@example.com', 'example.com'],
    ['jo@BÜCHER.example', 'jo@BÜCHER.example', 'jo@xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['ジョー@例え.jp', 'ジョー@例え.jp', 'ジョー@xn--r8jz45g.jp', 'xn--r8jz45g.jp'],
    ['🐈@example.com', '🐈@example.com', '🐈@example.com', 'example.com'],
    ['jo@[192.0.2.1]', 'jo@[192.0.2.1]', 'jo@[192.0.2.1]', '[192.0.2.1]'],
    ['jo@old_host.example', 'jo@old_host.example', 'jo@old_host.example', 'old_host.example'],
    ['jo@example.com.', 'jo@example.com.', 'jo@example.com', 'example.com'],
    ['<@relay.example:jo@example.com>', 'jo@example.com', 'jo@example.com', 'example.com'],
    ['jo+tag=x@example.com', 'jo+tag=x@example.com', 'jo+tag=x@example.com', 'example.com'],
    ['\ud800@example.com', '\ud800@example.com', '\ud800@example.com', 'example.com'],
  ])('is read from %j', (text, address, normalized, domain) => {
    expect(parseRecipient(text)).toEqual({ address, normalized, domain })
  })

  it.each([
    null,
    '',
    '<>',
    ' ',
    'redacted',
    '[redacted]',
    'Undisclosed Recipients',
    'undisclosed-recipients:;',
    'postmaster',
    '@example.com',
    'jo@',
    'jo',
    'jo..b@example.com',
    'jo@example..com',
    'jo@\ud800.com',
    'jo@example.com, al@example.com',
    'Friends: jo@example.com;',
    'jo@example.com\u0000',
    `${'x'.repeat(addressCharsMax)}@example.com`,
  ])('is unknown in %j', text => {
    expect(parseRecipient(text)).toEqual(nobody)
  })

  it('has a local part longer than the standard allows, as bounce addresses do', () => {
    const address = `${'v'.repeat(200)}@example.com`
    expect(parseRecipient(address)).toMatchObject({ address, domain: 'example.com' })
  })

  it('is all there or all null, for any text, and normalised is a fixed point', () => {
    const parts = fc.constantFrom(
      'a',
      'Ä',
      '@',
      '.',
      '<',
      '>',
      '"',
      '(',
      ')',
      ',',
      ':',
      ';',
      ' ',
      '\\',
      '[',
      ']',
      '🐈',
      '\ud800',
    )
    const anyText = fc.oneof(
      fc.emailAddress(),
      fc.string({ unit: 'binary' }),
      fc.array(parts, { maxLength: 40 }).map(all => all.join('')),
    )
    fc.assert(
      fc.property(anyText, text => {
        const found = parseRecipient(text)
        if (found.normalized === null) {
          expect(found).toEqual(nobody)
          return
        }
        expect(found.address).toContain('@')
        expect(found.domain).toBe(found.domain?.toLowerCase())
        expect(found.normalized.endsWith(`@${found.domain}`)).toBe(true)
        expect(parseRecipient(found.normalized).normalized).toBe(found.normalized)
      }),
      { numRuns: 3000 },
    )
  })
})

describe('the sender', () => {
  it.each([
    ['Acme <News@Acme.io>', 'News@Acme.io', 'acme.io'],
    ['<news@acme.io>', 'news@acme.io', 'acme.io'],
    ['news@acme.io', 'news@acme.io', 'acme.io'],
    ['"Acme, Inc." <news@acme.io>', 'news@acme.io', 'acme.io'],
    ['Acme, Inc. <news@acme.io>', 'news@acme.io', 'acme.io'],
    ['Acme: News <news@acme.io>', 'news@acme.io', 'acme.io'],
    ['[Acme] News <news@acme.io>', 'news@acme.io', 'acme.io'],
    ['"unclosed <news@acme.io>', 'news@acme.io', 'acme.io'],
    ['Acme\u0007 <news@acme.io>', 'news@acme.io', 'acme.io'],
    ['=?utf-8?B?44OL44Ol44O844K5?= <news@acme.io>', 'news@acme.io', 'acme.io'],
    ['ニュース <news@例え.jp>', 'news@例え.jp', 'xn--r8jz45g.jp'],
    ['al@example.com <news@acme.io>', 'news@acme.io', 'acme.io'],
    ['news@acme.io (Acme (Europe))', 'news@acme.io', 'acme.io'],
    ['news@acme.io, al@example.com', 'news@acme.io', 'acme.io'],
    ['Team: news@acme.io, al@example.com;', 'news@acme.io', 'acme.io'],
  ])('is the author in %j', (header, address, domain) => {
    expect(parseHeaderFrom(header)).toEqual({ header_from: header, address, domain })
  })

  it.each([
    'Acme',
    '<>',
    'Acme <>',
    'undisclosed-recipients:;',
    'Acme <news@acme.io',
    'A <a@b.c> <d@e.f>',
    '=?utf-8?B?44OL?=',
  ])('is unknown in %j, which is kept', header => {
    expect(parseHeaderFrom(header)).toEqual({ header_from: header, address: null, domain: null })
  })

  it('is unknown without a header, and in one that is too long', () => {
    expect(parseHeaderFrom(null)).toEqual({ header_from: null, address: null, domain: null })
    const long = `${'x'.repeat(headerCharsMax)} <news@acme.io>`
    expect(parseHeaderFrom(long)).toEqual({ header_from: long, address: null, domain: null })
  })

  it('never throws, and keeps the header as it was', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), header => {
        expect(parseHeaderFrom(header).header_from).toBe(header)
      }),
      { numRuns: 2000 },
    )
  })
})

describe('a domain for comparing', () => {
  it.each([
    ['Example.COM', 'example.com'],
    [' example.com. ', 'example.com'],
    ['BÜCHER.example', 'xn--bcher-kva.example'],
    ['XN--BCHER-KVA.example', 'xn--bcher-kva.example'],
    ['', ''],
  ])('is %j as %j', (domain, normalized) => {
    expect(normalizeDomain(domain)).toBe(normalized)
  })
})
