import fc from 'fast-check'
import { jsonEscaped } from './markers.ts'

/** Deeper than any stack: what recurses over it, ends. */
export const depthMax = 20_000
const hugeChars = 40_000

/** Any UTF-16 units at all: half a surrogate pair, NUL and controls too. */
export const anyText = fc
  .array(fc.oneof(fc.nat(0xffff), fc.constantFrom(0, 0xd800, 0xdc00, 0xfeff, 0x22, 0x5c)), { maxLength: 12 })
  .map(units => String.fromCharCode(...units))

/** Names that objects have anyway. */
export const prototypeKeys = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'valueOf',
]

export const nestedText = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`
const nestedObjects = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`

/** JSON numbers that no program reads alike. */
const oddNumbers = [
  ...['0', '-0', '-1', '1e400', '-1e400', '1e-400', '9007199254740993', '123456789012345678901234567890'],
  ...['1.0', '0.1e1', '281474976710655', '281474976710656', '1E3'],
]

const escapes = fc.constantFrom(
  (text: string) => JSON.stringify(text),
  (text: string) => `"${jsonEscaped(text)}"`,
  (text: string) => JSON.stringify(text).replaceAll('/', '\\/'),
)

/** A JSON text of a string, its characters escaped or not. */
export const stringText = (value: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(value, escapes).map(([text, inJson]) => inJson(text))

/** JSON text of any shape; not parsed and written again, so that what only text can say is left in it. */
export const anyValueText: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: stringText(anyText) },
  { weight: 2, arbitrary: fc.constantFrom(...oddNumbers) },
  { weight: 2, arbitrary: fc.constantFrom('null', 'true', 'false', '[]', '{}', '""', '[null]', '{"":""}') },
  { weight: 3, arbitrary: fc.json({ maxDepth: 4 }) },
  { weight: 1, arbitrary: fc.constantFrom(nestedText, nestedObjects).map(nest => nest(depthMax)) },
  { weight: 1, arbitrary: fc.constant(`"${'x'.repeat(hugeChars)}"`) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(...prototypeKeys)
      .map(key => `{"${key}":{"polluted":true,"uuid":"polluted","timelogged":1763631000}}`),
  },
)

const space = fc.constantFrom('', '', ' ', '\n', '\t\r\n ')

/** An object's text of these members, in this order: a key may stand in it twice. */
export const objectText = (
  members: fc.Arbitrary<readonly (readonly [string, string])[]>,
): fc.Arbitrary<string> =>
  fc.tuple(members, space, space).map(([pairs, before, behind]) => {
    const texts = pairs.map(([key, value]) => `${before}"${key}"${behind}:${before}${value}${behind}`)
    return `{${texts.join(',')}}`
  })

export const arrayText = (elements: fc.Arbitrary<readonly string[]>): fc.Arbitrary<string> =>
  fc
    .tuple(elements, space, space)
    .map(([texts, before, behind]) => `[${before}${texts.join(`${behind},${before}`)}${behind}]`)

/** Whether anything was added to what all objects inherit; to be called before and after. */
export const inherited = (): string[] =>
  [Object.prototype, Array.prototype, Function.prototype, String.prototype].flatMap(from =>
    Reflect.ownKeys(from).map(String),
  )
