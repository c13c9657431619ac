import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toAsciiJson } from '../../../shared/domain/delivery/ascii-json.ts'

describe('JSON in ASCII', () => {
  it('escapes everything beyond printable ASCII, a pair of surrogates as two', () => {
    expect(toAsciiJson('é🐈\u007f\u2028\ud800\n"\\')).toBe(
      '"\\u00e9\\ud83d\\udc08\\u007f\\u2028\\ud800\\n\\"\\\\"',
    )
    expect(toAsciiJson({ ключ: [1, null, 'ok'] })).toBe('{"\\u043a\\u043b\\u044e\\u0447":[1,null,"ok"]}')
  })

  it('is what JSON.stringify gives where that is ASCII already', () => {
    expect(toAsciiJson({ a: ['b', 1.5, true] })).toBe('{"a":["b",1.5,true]}')
  })

  it('is null for what JSON has no text for', () => {
    expect(toAsciiJson(undefined)).toBe('null')
  })

  it('parses to the same value, for any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), value => {
        const text = toAsciiJson(value)
        expect(text).toMatch(/^[ -~]*$/)
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  it('keeps a lone surrogate in a string', () => {
    expect(JSON.parse(toAsciiJson('a\udc00b'))).toBe('a\udc00b')
  })
})
