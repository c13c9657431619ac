import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createCursorStore } from '../../../shared/adapters/dynamodb/cursor-store.ts'
import { deliveryItem, readDelivery } from '../../../shared/adapters/dynamodb/delivery-item.ts'
import { readEndpointItem, settingsText } from '../../../shared/adapters/dynamodb/endpoint-item.ts'
import { eventItem, readEvent, readSummary } from '../../../shared/adapters/dynamodb/event-item.ts'
import { createHeartbeatStore } from '../../../shared/adapters/dynamodb/heartbeat-store.ts'
import { createPaceStore } from '../../../shared/adapters/dynamodb/pace-store.ts'
import { createQuarantine } from '../../../shared/adapters/dynamodb/quarantine.ts'
import { createReconcileMarks } from '../../../shared/adapters/dynamodb/reconcile-marks.ts'
import { createReplayPlans } from '../../../shared/adapters/dynamodb/replay-plans.ts'
import { parseRunLease } from '../../../shared/adapters/dynamodb/run-lease-item.ts'
import { createSourceStore } from '../../../shared/adapters/dynamodb/source-store.ts'
import { ItemError } from '../../../shared/adapters/dynamodb/table-errors.ts'
import { emptyCursor } from '../../../shared/domain/polling/cursor.ts'
import { sourceDefaults } from '../../../shared/domain/source.ts'
import { deliveryOf, endpointOf, idOf, nowMs, second } from '../delivery/harness.ts'
import { anyText, anyValueText, inherited, prototypeKeys } from './hostile-json.ts'
import { markers, markersIn, wordsOfError } from './markers.ts'

type Item = Readonly<Record<string, unknown>>

/** A client whose table has one item, whatever it is asked for. */
const tableOf = (item: Item) => {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({ region: 'eu-central-1' }))
  client.middlewareStack.add(
    () => async () => ({ response: {}, output: { $metadata: {}, Item: item, Items: [item] } }),
    { step: 'initialize', priority: 'high', name: 'oneItem' },
  )
  return { client, tableName: 'bridge', now: () => nowMs }
}

const ofStream = { sourceId: 'main', stream: 'bounces' } as const
const { id: _, ...sourceSettings } = {
  ...sourceDefaults,
  id: 'main',
  baseUrl: 'https://service.example',
  tokenSecret: 'token',
}

/** An item of each kind as this version writes it, and what reads it. */
const kinds: readonly { kind: string; item: Item; read: (item: Item) => unknown }[] = [
  {
    kind: 'endpoint',
    item: {
      ...{
        v: 1,
        pk: 'ENDPOINT',
        sk: 'endpoint',
        state: 'active',
        stateReason: null,
        stateWriteId: 'w',
        slow: false,
      },
      settings: settingsText(endpointOf({ headers: { 'x-key': markers.authorization } })),
    },
    read: readEndpointItem,
  },
  { kind: 'delivery', item: deliveryItem(deliveryOf()), read: readDelivery },
  ...[
    { kind: 'event', read: readEvent },
    { kind: 'event, of a list', read: readSummary },
  ].map(of => ({
    ...of,
    item: eventItem({
      ...ofStream,
      ...{ id: idOf('one'), type: 'email.bounce.hard', recordId: 'one', second, body: markers.recipient },
      ...{ endpointIds: ['endpoint'], loggedAtMs: nowMs, expiresAtSeconds: second },
    }),
  })),
  {
    kind: 'run lease',
    item: { v: 1, runId: 'run', takenAtMs: nowMs, firstTakenAtMs: nowMs, spending: '{}' },
    read: parseRunLease,
  },
  {
    kind: 'source',
    item: { v: 1, pk: 'SOURCE', sk: 'main', settings: JSON.stringify(sourceSettings) },
    read: item => createSourceStore(tableOf(item)).read('main'),
  },
  {
    kind: 'source, of a list',
    item: { v: 1, pk: 'SOURCE', sk: 'main', settings: JSON.stringify(sourceSettings) },
    read: item => createSourceStore(tableOf(item)).list(),
  },
  {
    kind: 'cursor',
    item: { v: 1, version: 1, writeId: 'w', cursor: JSON.stringify(emptyCursor) },
    read: item => createCursorStore(tableOf(item)).read({ ...ofStream, name: 'main' }),
  },
  {
    kind: 'quarantined record',
    item: { v: 1, reason: 'no_uuid', atMs: nowMs, writeId: 'w', parts: 1, text: Buffer.from([3, 0]) },
    read: item => createQuarantine(tableOf(item)).read({ ...ofStream, hash: 'hash' }),
  },
  {
    kind: 'heartbeat',
    item: {
      ...{ v: 1, delivered: 1, failed: 0, startMs: nowMs, claimId: 'c' },
      last: JSON.stringify({ sentAtMs: nowMs, totals: { delivered: 1, failed: 0 } }),
    },
    read: item => createHeartbeatStore(tableOf(item)).read('endpoint'),
  },
  {
    kind: 'pace',
    item: { v: 1, version: 1, nextAtMs: nowMs, leases: [{ id: 'l', slots: 1, untilMs: nowMs }] },
    read: item => createPaceStore(tableOf(item)).read('endpoint'),
  },
  {
    kind: 'replay plan',
    item: { ...{ v: 1, sk: 'p', startedAtMs: 1, fromSecond: 1, toSecond: 2, nextDueMs: 3 }, placeId: null },
    read: item => createReplayPlans(tableOf(item)).read('p'),
  },
  {
    kind: 'mark',
    item: { v: 1, sk: '00000001#2026-11-20', hour: 1, day: '2026-11-20', lowestId: idOf('one') },
    read: item => createReconcileMarks(tableOf(item)).list({ ...ofStream, fromHour: 0, limit: 1 }),
  },
]

const value: fc.Arbitrary<unknown> = fc.oneof(
  anyValueText.map((text): unknown => JSON.parse(text)),
  anyValueText,
  anyText,
  fc.constantFrom(...Object.values(markers)),
  fc.constantFrom(undefined, Number.NaN, 2 ** 53, -1, 1e308, new Set(['a']), Buffer.from([255, 0, 1]), 12n),
)

const changesOf = (names: readonly string[]) =>
  fc.array(fc.tuple(fc.constantFrom(...names, ...prototypeKeys, 'f', 'untold'), value), {
    minLength: 1,
    maxLength: 3,
  })

const readOf = async (read: (item: Item) => unknown, item: Item) => {
  try {
    return { found: await read(item), error: null }
  } catch (error) {
    return { found: null, error }
  }
}

test.each([
  ['delivery', readDelivery, deliveryItem(deliveryOf())],
  ['event', readSummary, { ...kinds.find(({ kind }) => kind === 'event')?.item }],
])('regression: an item (%s) whose ids make no key is corrupt, and no other fault', (kind, read, item) => {
  const message = `an item (${kind}) can't be read: pk: not that of its ids`
  expect(() => read({ ...item, sk: 'evt_' })).toThrow(
    expect.objectContaining({ code: 'item_corrupt', message }),
  )
})

test('regression: a quarantined record that says it has more parts than any text is corrupt, and not read for ever', async () => {
  const record = kinds.find(({ kind }) => kind === 'quarantined record')
  const { error } = await readOf(item => record?.read(item), { ...record?.item, parts: 2 ** 31 })
  expect(error).toMatchObject({
    code: 'item_corrupt',
    message: "an item (quarantine) can't be read: parts: too_big",
  })
})

describe.each(kinds)('an item of the table ($kind)', ({ item, read }) => {
  test('is read as it was written', async () => {
    const { found, error } = await readOf(read, item)
    expect([found === null, error]).toEqual([false, null])
  })

  test('of a later version is an error that says so, whatever else is in it', async () => {
    for (const version of [2, 3, 2 ** 53 - 1]) {
      const { error } = await readOf(read, { ...item, v: version, new: markers.token })
      expect(error).toBeInstanceOf(ItemError)
      expect(error).toMatchObject({ code: 'item_newer' })
    }
  })

  test('that is corrupt is an error that names it and no value, or is read; it is never "no item"', async () => {
    const before = inherited()
    let refused = 0
    await fc.assert(
      fc.asyncProperty(changesOf(Object.keys(item)), async changes => {
        const { found, error } = await readOf(read, { ...item, ...Object.fromEntries(changes) })
        if (error === null) {
          expect(found).not.toBeNull()
          expect(found).not.toEqual([])
          return
        }
        refused += 1
        expect(error, wordsOfError(error)).toBeInstanceOf(ItemError)
        expect(markersIn(wordsOfError(error))).toEqual([])
      }),
      { numRuns: 200 },
    )
    expect(refused).toBeGreaterThan(0)
    expect(inherited()).toEqual(before)
  })
})
