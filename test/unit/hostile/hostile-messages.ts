import fc from 'fast-check'
import {
  encodeHeartbeat,
  encodeMessage,
  type HeartbeatMessage,
} from '../../../shared/domain/delivery/delivery-message.ts'
import { heartbeatId } from '../../../shared/domain/feedback/event-id.ts'
import { idOf, messageOf, nowMs } from '../delivery/harness.ts'
import { anyText, anyValueText, prototypeKeys } from './hostile-json.ts'
import { markers } from './markers.ts'

const heartbeatOf = (): Omit<HeartbeatMessage, 'v' | 'kind'> => ({
  eventId: heartbeatId({ endpointId: 'endpoint', second: nowMs / 1000 }),
  endpointId: 'endpoint',
  notAfterMs: nowMs + 60_000,
  body: '{"type":"webhook.heartbeat"}',
})

/** An event's body as it is sent: it names a person, and no line may. */
const body = JSON.stringify({ id: idOf('one'), data: { recipient: { address: markers.recipient } } })

const valid: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .constantFrom('one', 'two')
      .map(uuid => encodeMessage(messageOf({ eventId: idOf(uuid), body }))),
  },
  {
    weight: 1,
    arbitrary: fc.constant(
      encodeMessage(messageOf({ body, deliveredBy: { atMs: nowMs, tookMs: 1, status: 200 } })),
    ),
  },
  { weight: 2, arbitrary: fc.constant(encodeHeartbeat(heartbeatOf())) },
)

const entriesOf = (text: string): [string, string][] => {
  const value: unknown = JSON.parse(text)
  return Object.entries(Object(value)).map(([key, inner]) => [key, JSON.stringify(inner)])
}
const objectOf = (entries: readonly (readonly [string, string])[]): string =>
  `{${entries.map(([key, value]) => `"${key}":${value}`).join()}}`

/** What a field may be that another one's writer, or an attacker, put there: of the right type, and yet wrong. */
const fieldText: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: anyValueText },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      ...[
        '""',
        '"#"',
        '"a#b"',
        '"../x"',
        '"__proto__"',
        '"constructor"',
        '"\\r\\nhost: a"',
        '"é"',
        '"\\u0000"',
      ],
      ...[`"${'e'.repeat(5_000)}"`, '"evt_"', `"${idOf('one').toLowerCase()}"`, `"${idOf('one')} "`],
      ...[
        '-1',
        '0',
        '1',
        '1.5',
        '2',
        '999',
        '1000',
        '1e15',
        '9007199254740991',
        '-9007199254740991',
        '1e308',
      ],
      ...[
        `"${markers.recipient}"`,
        `{"atMs":1,"tookMs":-1,"status":0}`,
        '{"atMs":9e15,"tookMs":1e308,"status":9e15}',
      ],
    ),
  },
)

/** A message of ours in which one thing or two are not as they were. */
export const mutatedBody: fc.Arbitrary<string> = fc
  .tuple(
    valid,
    fc.nat(20),
    fc.nat(20),
    fc.constantFrom('drop', 'set', 'add', 'twice', 'cut'),
    fieldText,
    fieldText,
  )
  .map(([text, one, other, how, first, second]) => {
    const entries = entriesOf(text)
    const at = one % entries.length
    const [name = ''] = entries[at] ?? []
    if (how === 'cut') return text.slice(0, Math.floor((text.length * (one + 1)) / 22))
    if (how === 'drop') return objectOf(entries.toSpliced(at, 1))
    if (how === 'add') {
      return objectOf([
        ...entries,
        [prototypeKeys[other % prototypeKeys.length] ?? '', first],
        ['extra', second],
      ])
    }
    if (how === 'twice') return objectOf([...entries, [name, first]])
    const changed = entries.with(at, [name, first])
    const [otherName = ''] = entries[other % entries.length] ?? []
    return objectOf(other > 14 ? changed.with(other % entries.length, [otherName, second]) : changed)
  })

export const anyBody: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: mutatedBody },
  { weight: 2, arbitrary: valid },
  { weight: 1, arbitrary: anyValueText },
  { weight: 1, arbitrary: anyText },
  { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
)

/** Attributes as any sender may set them. */
export const anyAttributes = fc.dictionary(
  fc.constantFrom('faultCount', 'faultsSinceMs', 'other', '__proto__'),
  fc.record(
    {
      dataType: fc.constantFrom('Number', 'String', 'Binary', 'Number.x'),
      stringValue: fc.oneof(
        fc.constantFrom('0', '1', '-1', '1e9', '999999999999999', '9999999999999999', '', ' 1', 'NaN'),
        fc.constant(String(nowMs - 25 * 3_600_000)),
        anyText,
      ),
      binaryValue: fc.constantFrom('', 'AAAA'),
    },
    { requiredKeys: ['dataType'] },
  ),
)
