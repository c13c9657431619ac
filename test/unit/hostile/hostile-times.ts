import fc from 'fast-check'
import { anyValueText } from './hostile-json.ts'

export const nowSecond = Date.UTC(2026, 10, 20, 9, 30) / 1000

const second = fc.integer({ min: nowSecond - 3_600, max: nowSecond })

/** RFC 3339 and what looks like it. */
const writtenTimes = [
  ...[
    '2026-11-20T09:30:00Z',
    '2026-11-20t09:30:00z',
    '2026-11-20 09:30:00+00:00',
    '2026-11-20T10:30:00+01:00',
  ],
  ...[
    '2026-11-20T09:30:00.999999999999Z',
    '2026-11-20T09:29:60Z',
    '2026-11-20T24:00:00Z',
    '2026-11-20T09:30:61Z',
  ],
  ...[
    '2026-02-29T00:00:00Z',
    '2024-02-29T00:00:00Z',
    '2026-11-20T09:30:00',
    '2026-11-20',
    '2026-11-20T09:30Z',
  ],
  ...[
    '2026-11-20T09:30:00+24:00',
    '2026-11-20T09:30:00-00:00',
    '0000-01-01T00:00:00Z',
    '0001-01-01T00:00:00Z',
  ],
  ...['1969-12-31T23:59:59Z', '1970-01-01T00:00:00Z', '9999-12-31T23:59:59Z', '9999-12-31T23:59:59-23:59'],
  ...['+010000-01-01T00:00:00Z', 'Fri, 20 Nov 2026 09:30:00 GMT', '２０２６-11-20T09:30:00Z', 'now', ''],
]
const numberTimes = [
  ...['0', '-0', '-1763631000', '1', '0.5', '1e400', '-1e400', '1e9', '1.763631e9', '1763631000.9999999'],
  ...[
    '99999999999',
    '100000000000',
    '281474976710655',
    '281474976710656',
    '9007199254740993',
    '253402300800',
  ],
]

/** A `timelogged`, as text. */
export const timeText: fc.Arbitrary<string> = fc.oneof(
  { weight: 5, arbitrary: second.map(String) },
  { weight: 2, arbitrary: second.map(of => String(of * 1000 + 7)) },
  { weight: 2, arbitrary: second.map(of => `"${of}"`) },
  { weight: 2, arbitrary: second.map(of => `"${new Date(of * 1000).toISOString()}"`) },
  { weight: 3, arbitrary: fc.constantFrom(...writtenTimes).map(text => JSON.stringify(text)) },
  { weight: 3, arbitrary: fc.constantFrom(...numberTimes, ...numberTimes.map(text => `"${text}"`)) },
  { weight: 1, arbitrary: anyValueText },
)
