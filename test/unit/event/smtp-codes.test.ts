import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { parseSmtpCodes } from '../../../shared/domain/event/smtp-codes.ts'
import { withAnotherCode, withoutEnhancedCode } from './dsn-disagreements.ts'
import { realRecords } from './real-records.ts'

const codesOf = (dsndiag: string | null) => {
  const { smtp_code, enhanced_code } = parseSmtpCodes(dsndiag)
  return [smtp_code, enhanced_code]
}

describe('the codes of a diagnostic', () => {
  it.each([
    ['smtp; 550 5.1.1 <jo@example.com>: User unknown', 550, '5.1.1'],
    ['smtp;550 5.1.1 RESOLVER.ADR.RecipNotFound; not found', 550, '5.1.1'],
    ['SMTP; 550 unknown user', 550, null],
    ['550 5.1.1 <jo@example.com>... User Unknown', 550, '5.1.1'],
    ['smtp; 550', 550, null],
    ['smtp; 550 5.7.26 Unauthenticated', 550, '5.7.26'],
    ['smtp;550 5.1.351 Remote server returned unknown recipient -> 550 : User unknown', 550, '5.1.351'],
    ['smtp; 571 5.7.1 Delivery not authorized', 571, '5.7.1'],
    ['smtp; 250 2.1.5 Ok', 250, '2.1.5'],
    ['smtp; 554 5.7.1: rejected', 554, '5.7.1'],
    ['smtp; 550 5.1.1.', 550, '5.1.1'],
  ])('stand at its start: %j', (text, reply, enhanced) => {
    expect(codesOf(text)).toEqual([reply, enhanced])
  })

  it.each([
    ['smtp; 550-5.7.1 rejected', 550, '5.7.1'],
    ['smtp; 550 #5.1.0 Address rejected.', 550, '5.1.0'],
    ['smtp; 550 (5.1.1) rejected', 550, '5.1.1'],
    ['smtp; 550 [5.1.1] rejected', 550, '5.1.1'],
    ["smtp; 550-'5.2.2 Mailbox Full'", 550, '5.2.2'],
    ['550 550 #5.1.0 Address rejected', 550, '5.1.0'],
    ['smtp; 553 not in my list of allowed rcpthosts (#5.7.1)', 553, '5.7.1'],
    ['smtp; 550 Mailbox unavailable: 5.7.1 Relaying denied', 550, '5.7.1'],
    ['smtp; 550-Please try 550-double-checking 550 5.1.1 https://mx.example/?p=NoSuchUser', 550, '5.1.1'],
  ])('go together across %j', (text, reply, enhanced) => {
    expect(codesOf(text)).toEqual([reply, enhanced])
  })

  it.each([
    [
      'X-Postfix; host mx.example.com[192.0.2.225] said: 554 5.6.0 scored as spam (in reply to end of DATA command)',
      554,
      '5.6.0',
    ],
    [
      'X-Postfix; host mx.example.com[192.0.2.225] said: 550 Protocol violation (in reply to DATA command)',
      550,
      null,
    ],
    ['X-Postfix; host mx.example.com[192.0.2.225] refused to talk to me: 421 try later', 421, null],
    [
      'SMTP error from remote mail server after RCPT TO:<jo@example.com>: host mx.example.com [192.0.2.1]: 550 no',
      550,
      null,
    ],
    ['SMTP error from remote mail server after RCPT TO:<jo@example.com>: 550 no', 550, null],
    ['smtp; mx.example.com: 452 try later', 452, null],
    ['The error that the other server returned was: 550 5.1.1 no such user', 550, '5.1.1'],
    ['host said: 550. Bye', 550, null],
    ['#< #5.1.1 smtp;550 5.1.1 <jo@example.com>... User unknown> #SMTP#', 550, '5.1.1'],
  ])('stand where a reply is quoted: %j', (text, reply, enhanced) => {
    expect(codesOf(text)).toEqual([reply, enhanced])
  })

  it.each([
    ['5.1.1 (bad destination mailbox)', '5.1.1'],
    ['smtp; 5.7.1', '5.7.1'],
    ['Sorry, no mailbox here by that name. (#5.1.1)', '5.1.1'],
    ['User unknown (5.1.1)', '5.1.1'],
    ['Delivery failed, status: 5.2.2', '5.2.2'],
    ["smtp; 5.1.2 - Bad destination host ('000', ['DNS Hard Error'])", '5.1.2'],
  ])('can be an enhanced code alone, from which no reply code is derived: %j', (text, enhanced) => {
    expect(codesOf(text)).toEqual([null, enhanced])
  })

  it.each([
    ["smtp; 5.1.0 - Unknown address error 550-'5.2.2 Mailbox Full' (delivery attempts: 0)", 550, '5.2.2'],
    ["smtp; 5.4.7 - Delivery expired ('421', ['4.7.0 try later'])", 421, '4.7.0'],
    ['smtp; 220-mx 421 4.2.1 Service refused', 421, '4.2.1'],
    ['smtp; 250 2.0.0 Ok; then host said: 550 5.1.1 no', 550, '5.1.1'],
    ['smtp; 550 4.4.7 Message expired.<421 4.4.0 Unable to lookup DNS>', 550, '4.4.7'],
    ["Remote Server returned '554 5.0.0 <#5.7.1 smtp;550 5.7.1 Unable to relay>'", 554, '5.0.0'],
    ['smtp; 550 rejected; host said: 554 5.7.1 blocked', 550, null],
  ])('are those of one reply, the reported one: %j', (text, reply, enhanced) => {
    expect(codesOf(text)).toEqual([reply, enhanced])
  })

  it.each([
    ['an IP address', 'smtp; connect to 5.1.1.2 failed'],
    ['an IP address at the start', 'smtp; [5.1.1.2] failed'],
    ['an IP address with a port', 'X-Postfix; connect to mx.example.com[192.0.2.1]:550: Connection refused'],
    ['a port', 'smtp; port 465 refused, port: 587 refused'],
    ['a time-out in seconds', 'smtp; timed out after 450 seconds'],
    ['a time-out at the start', 'smtp; 450 seconds without an answer'],
    ['a time-out with a hyphen', 'smtp; 450-second timeout'],
    ['a time-out that an error introduces', 'smtp error: 450 ms passed'],
    ['a size', 'smtp; 552 bytes are too many'],
    [
      'a message id',
      'smtp; lost <20250.5.1.1@mx.example.com> <550.5.1.1@mx.example.com> <5.1.1@mx.example.com>',
    ],
    ['a queue id', 'smtp; queued as 550-5.1.1-2024'],
    ['a date', 'smtp; on 5.11.2025 nobody answered'],
    ['a short date', 'smtp; 5.11.25 12:30:01 nobody answered'],
    ['a version', 'smtp; Exim 4.9.2 and Postfix 2.11.3 disagree'],
    ['a host name', 'smtp; 5.1.1.example.com did not answer'],
    ['a URL', 'smtp; see https://example.com/550/5.1.1?code=550&e=5.1.1'],
    ['a field of a query', 'smtp; id=550 5.1.1'],
    [
      'a number of DNS',
      "smtp; DNS Error: 80458680 DNS type 'mx' lookup responded with code NOERROR (rfc7505)",
    ],
    ['a longer number', 'smtp; 5501 and 5.1.1000 and 5500 5.1.11111'],
    ['an HTTP status', 'smtp; policy server said: 404 not found'],
    ['the exit status of a program', 'X-Unix; 255'],
    ['a greeting', 'smtp; 220 mx.example.com ESMTP'],
    ['leading zeros', 'smtp; status: 5.01.1 and 5.1.01'],
    ['another class', 'smtp; 350 3.1.1 and 650 6.1.1 and (#1.1.1)'],
    ['words', 'The email account that you tried to reach does not exist.'],
    ['nothing', 'smtp;'],
    ['an empty text', ''],
  ])('are not in %s', (_what, text) => {
    expect(codesOf(text)).toEqual([null, null])
  })

  it('are unknown without a diagnostic', () => {
    expect(codesOf(null)).toEqual([null, null])
  })

  it('stand in the text, and have their form, for any text', () => {
    const parts = fc.constantFrom(
      ...[
        '550',
        '5.1.1',
        '421',
        '4.7.0',
        '220',
        '192.0.2.1',
        ' ',
        '-',
        ':',
        ';',
        '#',
        '(',
        ')',
        '[',
        ']',
        "'",
        '<',
        '>',
        '.',
      ],
      ...['smtp;', 'X-Unix;', 'said:', 'status', 'seconds', '@', '/', '=', 'a', '\n', 'é', '\ud800'],
    )
    const anyText = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(parts, { maxLength: 60 }).map(all => all.join('')),
    )
    fc.assert(
      fc.property(anyText, text => {
        const { smtp_code, enhanced_code } = parseSmtpCodes(text)
        if (smtp_code !== null) expect(text).toContain(String(smtp_code))
        expect(String(smtp_code)).toMatch(/^(?:[245]\d\d|null)$/)
        expect(text).toContain(enhanced_code ?? '')
        expect(enhanced_code ?? '5.0.0').toMatch(/^[245]\.\d{1,3}\.\d{1,3}$/)
      }),
      { numRuns: 3000 },
    )
  })

  it('are found in 100 KB of the worst text in time that grows with its length alone', () => {
    const seeds = [
      '1.',
      '.',
      '550 ',
      '550-5.1.1 ',
      '5.1.1 ',
      '(',
      'a',
      ' ',
      ';',
      'said: ',
      '- ',
      '550 5.1.1 said: ',
      '#5.1.1',
      "('550', ['",
    ]
    const texts = seeds.flatMap(seed =>
      ['', '1', 'smtp; 550 '].map(head => head + seed.repeat(100_000 / seed.length)),
    )
    const slow = texts.filter(text => {
      const start = performance.now()
      parseSmtpCodes(text)
      // Linear takes some 50 ms; quadratic would take minutes, whatever the machine.
      return performance.now() - start > 2_000
    })
    expect(slow).toEqual([])
  })
})

describe('the codes of the real bounces, beside the Status of their reports', () => {
  const schema = z.object({ uuid: z.string(), dsndiag: z.string(), _dsn: z.object({ status: z.string() }) })
  const bounces = realRecords('bounces').map(({ value }) => {
    const { uuid, dsndiag, _dsn } = schema.parse(value)
    return { uuid, dsndiag, status: _dsn.status === '' ? null : _dsn.status, found: parseSmtpCodes(dsndiag) }
  })
  const disagreeing = bounces.filter(({ status, found }) => status !== found.enhanced_code)

  it('agree for 126 of 226, and for 123 of the 138 whose text has an enhanced code', () => {
    const withCode = bounces.filter(({ found }) => found.enhanced_code !== null)
    const agreeing = withCode.filter(({ status, found }) => status === found.enhanced_code)
    expect([bounces.length - disagreeing.length, bounces.length]).toEqual([126, 226])
    expect([agreeing.length, withCode.length]).toEqual([123, 138])
  })

  it('disagree exactly where the reason is known', () => {
    const explained = [
      ...Object.values(withoutEnhancedCode).flatMap(uuids =>
        uuids.map((uuid): [string, string | null] => [uuid, null]),
      ),
      ...Object.values(withAnotherCode).flatMap(codes => Object.entries(codes)),
    ]
    const found = disagreeing.map(({ uuid, found }): [string, string | null] => [uuid, found.enhanced_code])
    expect(found.sort()).toEqual(explained.sort())
  })

  it('are null where no enhanced code stands in the text, however loosely one looks', () => {
    const uuids: Set<string> = new Set(Object.values(withoutEnhancedCode).flat())
    const texts = bounces.filter(({ uuid }) => uuids.has(uuid)).map(({ dsndiag }) => dsndiag)
    expect(texts).toHaveLength(uuids.size)
    expect(texts.filter(text => /(?<![\d.])[245]\.\d{1,3}\.\d{1,3}(?![\d.]*\d)/.test(text))).toEqual([])
  })

  it('have a reply code wherever the text begins with one', () => {
    const missed = bounces.filter(
      ({ dsndiag, found }) => /^smtp;\s*[45]\d\d/i.test(dsndiag) && found.smtp_code === null,
    )
    expect(missed).toEqual([])
    expect(bounces.filter(({ found }) => found.smtp_code !== null)).toHaveLength(194)
  })
})
