import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { recordTexts } from '../../../shared/adapters/feedback-api/page-records.ts'

const results = (page: string): unknown => {
  const value: unknown = JSON.parse(page)
  return typeof value === 'object' && value !== null && 'results' in value ? value.results : []
}

/** JSON texts with everything that parsing loses: space, escapes, repeated keys, long numbers, lone surrogates. */
const space = fc.stringMatching(/^[ \t\r\n]{0,3}$/)
const char = fc.oneof(
  fc.constantFrom(
    '\\"',
    '\\\\',
    '\\/',
    '\\n',
    '\\ud800',
    '\\u0041',
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '😀',
    'é',
    ' ',
  ),
  fc.constantFrom('a', 'results', '\\u0072esults'),
)
const string = fc.array(char, { maxLength: 5 }).map(chars => `"${chars.join('')}"`)
const scalar = fc.oneof(
  string,
  fc.constantFrom('null', 'true', 'false', '0', '-1.5e10', '12345678901234567890', '1E-3'),
)
const { value: json } = fc.letrec<{ value: string }>(tie => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    fc
      .tuple(fc.array(fc.tuple(space, tie('value'), space), { maxLength: 4 }), space)
      .map(
        ([items, inner]) => `[${items.length === 0 ? inner : items.map(item => item.join('')).join(',')}]`,
      ),
    fc
      .array(fc.tuple(space, string, space, space, tie('value'), space), { maxLength: 4 })
      .map(
        entries =>
          `{${entries.map(([a, key, b, c, value, d]) => `${a}${key}${b}:${c}${value}${d}`).join(',')}}`,
      ),
  ),
}))
const key = fc.oneof(
  string,
  fc.constantFrom('"results"', '"resul\\u0074s"', '"\\u0072esults"', '"results "', '"next"', '"__proto__"'),
)
const page = fc
  .tuple(space, fc.array(fc.tuple(space, key, space, space, json, space), { maxLength: 6 }), space)
  .map(
    ([before, entries, after]) =>
      `${before}{${entries.map(([a, name, b, c, value, d]) => `${a}${name}${b}:${c}${value}${d}`).join(',')}}${after}`,
  )

describe('the texts of the records of a page', () => {
  it('are as many as JSON.parse finds, and each parses to the same value', () => {
    fc.assert(
      fc.property(page, text => {
        const expected = results(text)
        const texts = recordTexts(text)
        expect(texts.map(one => JSON.parse(one))).toEqual(Array.isArray(expected) ? expected : [])
        for (const one of texts) expect(one).toBe(one.trim())
      }),
      { numRuns: 2000 },
    )
  })

  it('are verbatim: long numbers, repeated keys, escapes and space inside a record stay', () => {
    const records = [
      '{"n": 12345678901234567890, "a":1,"a":2}',
      String.raw`{"rcpt":"\u006ao\/\ud83d\ude00 \ud800 \"{[]}\\"}`,
      '{ "deep" : [ [ ], { } ] ,\n\t"x":null }',
    ]
    expect(recordTexts(`{"count":3, "results" : [ ${records.join(' ,\r\n ')} ], "next":null}`)).toEqual(
      records,
    )
  })

  it('are those of the last results where the key is repeated, however it is escaped', () => {
    expect(recordTexts('{"results":[1,2],"resul\\u0074s":[{"a":"]"}]}')).toEqual(['{"a":"]"}'])
    expect(recordTexts('{"results":[1,2],"results":[]}')).toEqual([])
  })

  it('are not taken from a results deeper in the page', () => {
    expect(recordTexts('{"meta":{"results":[1]},"s":"\\"results\\":[2]","results":[3]}')).toEqual(['3'])
    expect(recordTexts('{"meta":{"results":[1]}}')).toEqual([])
    expect(recordTexts('{}')).toEqual([])
  })

  it('are found at any depth without using up the stack', () => {
    const deep = '['.repeat(1_000_000) + ']'.repeat(1_000_000)
    expect(recordTexts(`{"x":${deep},"results":[${deep},7]}`)).toEqual([deep, '7'])
  })
})
