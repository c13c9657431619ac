import fc from 'fast-check'
import { anyText, anyValueText, arrayText, objectText, prototypeKeys, stringText } from './hostile-json.ts'
import { timeText } from './hostile-times.ts'
import { markers } from './markers.ts'

const uuidText: fc.Arbitrary<string> = fc.oneof(
  { weight: 5, arbitrary: fc.uuid().map(uuid => `"${uuid}"`) },
  // A few only, so that one page has them twice.
  {
    weight: 2,
    arbitrary: fc.constantFrom('"twice"', '"\\u0074wice"', '"thrice"', '"__proto__"', '"constructor"'),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('""', '" "', '"#"', `"${'u'.repeat(200)}"`, `"${'u'.repeat(201)}"`),
  },
  { weight: 1, arbitrary: stringText(anyText) },
  { weight: 1, arbitrary: anyValueText },
)

const addressText = fc.constantFrom(
  ...[markers.recipient, `<${markers.recipient}>`, `"Jo, ${markers.recipient}" <${markers.recipient}>`],
  ...['<>', 'Undisclosed Recipients:;', `a:${'b,'.repeat(500)};`, `${'('.repeat(900)}@example.com`],
)
const fieldText = fc.oneof(
  { weight: 4, arbitrary: stringText(addressText) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '"h"',
      '"s"',
      '"550 5.1.1 no"',
      '"<https://a.example/u>, <mailto:b@c.example>"',
    ),
  },
  { weight: 2, arbitrary: anyValueText },
)
const fieldNames = [
  ...[
    'rcpt',
    'orig',
    'dsndiag',
    'bouncecat',
    'bounce_type',
    'header_from',
    'header_subject',
    'raw',
    'data',
    '',
  ],
  ...['header_list_unsubscribe', 'header_return_path', 'uuid', 'timelogged', ...prototypeKeys],
]
const field = fc.tuple(fc.constantFrom(...fieldNames), fieldText)

/** A row that has what a record needs, in any order, perhaps twice; or anything else. */
export const recordText: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 6,
    arbitrary: objectText(
      fc.tuple(uuidText, timeText, fc.array(field, { maxLength: 6 })).chain(([uuid, time, fields]) =>
        fc.shuffledSubarray([['uuid', uuid] as const, ['timelogged', time] as const, ...fields], {
          minLength: Math.min(2, fields.length + 2),
        }),
      ),
    ),
  },
  { weight: 1, arbitrary: anyValueText },
)

/** `next`, of any shape, other hosts and a repeated query included. */
const nextText: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('null', '""') },
  {
    weight: 3,
    arbitrary: fc
      .constantFrom(
        ...[
          'https://elsewhere.example/?page=2',
          '?page=2',
          '?',
          'page=2',
          '//169.254.169.254/?page=2',
          '/bounces',
        ],
        ...[
          'https://user:pass@elsewhere.example/?last_id=1&order=desc',
          'javascript:?x',
          '?a=1#b',
          '?%',
          '?\ud800',
        ],
        ...[`?token=${encodeURIComponent(markers.token)}&to=${markers.recipient}`, `?${'p'.repeat(70_000)}`],
      )
      .map(text => JSON.stringify(text)),
  },
  { weight: 2, arbitrary: stringText(anyText.map(text => `?${text}`)) },
  { weight: 1, arbitrary: anyValueText },
)

const results = fc.oneof(
  { weight: 8, arbitrary: arrayText(fc.array(recordText, { maxLength: 8 })) },
  { weight: 1, arbitrary: anyValueText },
)
const resultsKey = fc.constantFrom('results', 'results', 'results', 'resul\\u0074s')

/** The text of a page that may be one: an envelope around rows, with what else an envelope may have. */
export const envelopeText: fc.Arbitrary<string> = objectText(
  fc
    .tuple(
      resultsKey,
      results,
      nextText,
      anyValueText,
      fc.array(fc.tuple(fc.constantFrom(...prototypeKeys, 'results', 'next', 'meta'), anyValueText), {
        maxLength: 2,
      }),
    )
    .map(
      ([key, rows, next, count, others]) =>
        [...others, ['next', next], ['count', count], [key, rows]] as const,
    ),
)

/** The bytes of an answer: a page, anything else, and what becomes of a page on a bad way. */
export const pageBytes: fc.Arbitrary<Buffer> = fc.oneof(
  { weight: 8, arbitrary: envelopeText.map(text => Buffer.from(text)) },
  { weight: 1, arbitrary: anyValueText.map(text => Buffer.from(text)) },
  { weight: 1, arbitrary: envelopeText.map(text => Buffer.from(`\ufeff${text}`)) },
  { weight: 1, arbitrary: envelopeText.map(text => Buffer.from(text, 'utf16le')) },
  { weight: 1, arbitrary: envelopeText.map(text => Buffer.from(text, 'latin1')) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 60 }).map(bytes => Buffer.from(bytes)) },
  {
    weight: 2,
    arbitrary: fc.tuple(envelopeText, fc.double({ min: 0, max: 1, noNaN: true })).map(([text, share]) => {
      const bytes = Buffer.from(text)
      return bytes.subarray(0, Math.floor(bytes.length * share))
    }),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(
        ...[
          '',
          ' ',
          '<html>',
          `<html>${markers.recipient} ${markers.token}</html>`,
          'null',
          '{}',
          '[]',
          '{"results":{}}',
        ],
        ...[
          `{"detail":"${markers.recipient}"}`,
          '{"results":[1,2',
          '{"results":[]}{"results":[]}',
          '{"results":[,]}',
        ],
      )
      .map(text => Buffer.from(text)),
  },
)
