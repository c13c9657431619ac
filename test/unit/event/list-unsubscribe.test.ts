import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  listUnsubscribeCharsMax,
  listUnsubscribeUrlsMax,
  parseListUnsubscribe,
} from '../../../shared/domain/event/list-unsubscribe.ts'

const https = 'https://acme.io/u?id=1,2&x=(3)'
const mailto = 'mailto:leave@acme.io?subject=leave'

describe('the List-Unsubscribe header', () => {
  it.each([
    ['both, in any order', `<${mailto}>, <${https}>`, [https], [mailto]],
    ['without white space between', `<${https}>,<${mailto}>`, [https], [mailto]],
    ['folded', `<${mailto}>,\r\n\t<${https}>`, [https], [mailto]],
    ['folded within a URL', '<https://acme.io/\r\n u?id=1>', ['https://acme.io/u?id=1'], []],
    ['with comments', `(by (the) web <https://no.example>) <${https}> (or \\) mail)`, [https], []],
    [
      'of several URLs, in their order',
      '<https://b.example>, <https://a.example>',
      ['https://b.example', 'https://a.example'],
      [],
    ],
    ['in capitals', '<HTTPS://Acme.io/U>, <MAILTO:a@b.c>', ['HTTPS://Acme.io/U'], ['MAILTO:a@b.c']],
    ['in other scripts', '<https://例え.jp/退会>', ['https://例え.jp/退会'], []],
    ['with other schemes', '<http://acme.io>, <ftp://acme.io>, <javascript:alert(1)>', [], []],
    ['that is no URL', '<nothing>, <>, <https://>, <https://[>, <mailto:>', [], []],
    ['without brackets', https, [], []],
    ['not closed', `<${mailto}>, <${https}`, [], [mailto]],
    ['of garbage', ')))((<>,,;"\u0000', [], []],
  ])('is read %s', (_how, raw, httpsUrls, mailtoUrls) => {
    expect(parseListUnsubscribe(raw)).toEqual({ raw, https: httpsUrls, mailto: mailtoUrls })
  })

  it('has every key where there is none', () => {
    expect(parseListUnsubscribe(null)).toEqual({ raw: null, https: [], mailto: [] })
  })

  it('is bounded in length and in URLs', () => {
    const many = Array.from({ length: 100 }, (_, index) => `<https://a.example/${index}>`).join(',')
    expect(parseListUnsubscribe(many).https).toHaveLength(listUnsubscribeUrlsMax)
    const long = `<${https}>${' '.repeat(listUnsubscribeCharsMax)}`
    expect(parseListUnsubscribe(long)).toEqual({ raw: long, https: [], mailto: [] })
  })

  it('gives only URLs of the two schemes, for any text', () => {
    const parts = fc.constantFrom(
      '<',
      '>',
      '(',
      ')',
      '\\',
      ',',
      'https://a.b',
      'mailto:a@b',
      'http:',
      ' ',
      '\ud800',
      'é',
    )
    const anyText = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(parts).map(all => all.join('')),
    )
    fc.assert(
      fc.property(anyText, text => {
        const found = parseListUnsubscribe(text)
        expect(found.raw).toBe(text)
        expect(found.https.every(url => new URL(url).protocol === 'https:')).toBe(true)
        expect(found.mailto.every(url => new URL(url).protocol === 'mailto:')).toBe(true)
      }),
    )
  })
})
