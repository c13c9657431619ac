import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addressVerdict } from '../../../shared/domain/endpoint/address-guard.ts'
import { parseEndpointUrl } from '../../../shared/domain/endpoint/endpoint-url.ts'

const inCloud = { allowPrivate: false }

/** A number as `inet_aton` reads it, in one of its notations. */
const numberText = fc.constantFrom(
  (value: number) => String(value),
  (value: number) => `0x${value.toString(16)}`,
  (value: number) => `0X${value.toString(16).toUpperCase()}`,
  (value: number) => `0${value.toString(8)}`,
  (value: number) => `000${value.toString(8)}`,
  (value: number) => `%3${String(value)[0]}${String(value).slice(1)}`,
  (value: number) => String(value).replace(/\d/g, digit => String.fromCodePoint(0xff10 + Number(digit))),
)
const dot = fc.constantFrom('.', '。', '．', '｡', '%2e')
const special = [0x7f000001, 0x0a000001, 0xa9fea9fe, 0xc0a80101, 0xac100001, 0x64400001, 0x08080808]
const address = fc.oneof(fc.constantFrom(...special), fc.nat(0xffffffff))

const parted = (value: number, parts: number): number[] => {
  const bytes = [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255]
  const last = bytes.slice(parts - 1).reduce((sum, byte) => sum * 256 + byte, 0)
  return [...bytes.slice(0, parts - 1), last]
}
const dotted = (value: number): string => parted(value, 4).join('.')

describe('any address in any notation', () => {
  test('of IPv4 is judged as in its plain one', () => {
    fc.assert(
      fc.property(
        address,
        fc.integer({ min: 1, max: 4 }),
        fc.array(numberText, { minLength: 4, maxLength: 4 }),
        dot,
        fc.boolean(),
        (value, parts, texts, between, trailing) => {
          const host = parted(value, parts)
            .map((part, at) => texts[at]?.(part) ?? '')
            .join(between)
          const spelled = parseEndpointUrl(`https://${host}${trailing ? '.' : ''}/`, inCloud)
          expect([host, spelled.ok]).toEqual([host, addressVerdict(dotted(value), inCloud).allowed])
        },
      ),
      { numRuns: 2_000 },
    )
  })

  test('of IPv6 is judged as in its plain one, mapped IPv4 as that IPv4', () => {
    const groups = fc.oneof(
      fc.array(fc.nat(0xffff), { minLength: 8, maxLength: 8 }),
      address.map(value => [0, 0, 0, 0, 0, 0xffff, value >>> 16, value & 0xffff]),
      address.map(value => [0x64, 0xff9b, 0, 0, 0, 0, value >>> 16, value & 0xffff]),
      address.map(value => [0x2002, value >>> 16, value & 0xffff, 0, 0, 0, 0, 1]),
    )
    fc.assert(
      fc.property(groups, fc.boolean(), fc.boolean(), (of, upper, dottedTail) => {
        const plain = of.map(group => group.toString(16)).join(':')
        const full = of.map(group => group.toString(16).padStart(4, '0'))
        const tail = dotted(((of[6] ?? 0) * 0x10000 + (of[7] ?? 0)) >>> 0)
        const spelled = dottedTail ? [...full.slice(0, 6), tail].join(':') : full.join(':')
        const text = upper ? spelled.toUpperCase() : spelled
        const verdict = addressVerdict(plain, inCloud)
        expect([text, parseEndpointUrl(`https://[${text}]/`, inCloud).ok]).toEqual([text, verdict.allowed])
        const embedded = (of[6] ?? 0) * 0x10000 + (of[7] ?? 0)
        const isMapped = of.slice(0, 5).every(group => group === 0) && of[5] === 0xffff
        if (isMapped) expect(verdict).toEqual(addressVerdict(dotted(embedded), inCloud))
      }),
      { numRuns: 1_000 },
    )
  })

  test('and any text at all, is an https URL or a refusal that repeats neither path, query nor user', () => {
    const scheme = fc.constantFrom('https://', 'http://', 'https:\\\\', 'https:', 'ftp://', 'x:', '//', '')
    const userInfo = fc.constantFrom('', 's3cret@', 's3cret:s3cret@', ':s3cret@')
    const host = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.domain(),
      fc.ipV4Extended(),
      fc.ipV6(),
    )
    fc.assert(
      fc.property(scheme, userInfo, host, (...parts) => {
        // An x before the slash, so that the path never becomes the host.
        const text = `${parts.join('')}x/s3cret?s3cret#s3cret`
        const parsed = parseEndpointUrl(text, inCloud)
        if (!parsed.ok) expect(parsed.problem).not.toContain('s3cret')
        else expect([parsed.url.protocol, parsed.url.username]).toEqual(['https:', ''])
      }),
      { numRuns: 2_000 },
    )
  }, 30_000)

  test('regression: a user name that is read as a scheme is not repeated', () => {
    expect(parseEndpointUrl('s3cret:s3cret@example.com/', inCloud)).toEqual({
      ok: false,
      reason: 'url_refused',
      problem: 'the URL begins with another scheme; it must begin with https://',
    })
  })

  test('regression: ISATAP under a public prefix is judged by the IPv4 address in it', () => {
    const verdicts = ['2600:1f18::5efe:10.0.0.1', '2600:1f18::200:5efe:a9fe:a9fe', '2600:1f18::5efe:8.8.8.8']
    expect(verdicts.map(one => addressVerdict(one, inCloud))).toEqual([
      { allowed: false, range: 'isatap' },
      { allowed: false, range: 'isatap' },
      { allowed: true },
    ])
  })
})
