import { endpointKey } from '../../../shared/adapters/dynamodb/keys.ts'
import { endpointDefaults } from '../../../shared/domain/endpoint/endpoint.ts'
import { type EndpointHealth, goodHealth } from '../../../shared/domain/endpoint/endpoint-health.ts'
import { dayOfSecond, eventIdRange } from '../../../shared/domain/feedback/event-id.ts'
import { type Cursor, emptyCursor } from '../../../shared/domain/polling/cursor.ts'
import { hourOf } from '../../../shared/domain/release/due-marks.ts'
import { tokenSecretName } from '../../../shared/domain/secret-store.ts'
import { sourceDefaults, streamNames } from '../../../shared/domain/source.ts'
import { daySeconds, hourMs, minuteMs } from '../../../shared/domain/time-units.ts'
import { benchEndpoints } from '../dispatch/bench-endpoints.ts'
import type { CountedTable } from './counted-table.ts'
import type { Ports } from './operations.ts'
import { toWireItem } from './wire-item.ts'
import { endpointIds, idOf, recentRecords, sourceId, startMs, startSecond, unsettled } from './world.ts'

/** Deliveries that are due for a run of the releaser. */
const dueAtOnce = 10
/** A day long past into which a late record is written. */
const lateDays = 20

const openHealth: EndpointHealth = {
  ...goodHealth,
  failingSinceMs: startMs - hourMs,
  open: {
    sinceMs: startMs - hourMs,
    because: 'failures_in_row',
    probes: 9,
    // Not within this run.
    nextProbeAtMs: startMs + hourMs,
  },
}

/** Endpoints that the store itself puts: it would take minutes for a million. */
export const endpointsPutMax = 10
const endpointPorts = [8_080]

/** All endpoints beyond these, alike to the last of them. */
export const fillEndpoints = ({ main }: CountedTable, count: number): void => {
  const ids = benchEndpoints({ count, ports: endpointPorts }).map(({ id }) => id)
  const { pk, sk } = endpointKey(ids[endpointsPutMax - 1] ?? '')
  const like = main.get(pk, sk)
  main.fillWith(pk, ids.slice(endpointsPutMax), id => ({ ...like, ...toWireItem({ sk: id }) }))
}

/** Endpoints, the source, and cursors as walks leave them. */
export const putSettings = async (ports: Ports, endpoints: number): Promise<void> => {
  for (const endpoint of benchEndpoints({ count: endpoints, ports: endpointPorts })) {
    const isAll = endpoint.id === endpointIds.all
    await ports.endpoints.put({
      ...endpoint,
      // One hears of the events: for each that does, a message is sent, however many others there are.
      types: isAll ? ['*'] : ['email.complaint'],
      filters: { ...endpointDefaults.filters, sources: isAll ? null : ['another'] },
      health: endpoint.id === endpointIds.held ? openHealth : endpoint.health,
    })
  }
  await ports.sources.put({
    ...sourceDefaults,
    ...{ id: sourceId, baseUrl: 'http://service.invalid', tokenSecret: tokenSecretName(sourceId) },
  })
  for (const stream of streamNames)
    await ports.cursors.commit({ sourceId, stream, name: 'main' }, cursorOf(stream), null)
}

/** As a walk leaves it that was complete a moment ago. */
const cursorOf = (stream: (typeof streamNames)[number]): Cursor => {
  const records = recentRecords(stream)
  const anchors = records.map(({ uuid, second }) => ({ uuid, second }))
  const anchor =
    anchors.findLast(({ second }) => second < startSecond - 2 * sourceDefaults.overlapSeconds) ?? null
  return {
    ...emptyCursor,
    ...{ anchor, origin: anchor, floorSecond: 0, newest: anchors.at(-1) ?? null },
    ...{ firstWalkComplete: true, lastCompleteWalkAtMs: startMs - minuteMs },
  }
}

/** Ten deliveries that failed and are due now, of events that are in the log. */
export const putDue = async (ports: Ports, at: number): Promise<void> => {
  const records = recentRecords('bounces').slice(at * dueAtOnce, (at + 1) * dueAtOnce)
  const dueMs = ports.clock.now() - minuteMs
  for (const record of records) {
    const result = await ports.store.write(
      {
        ...unsettled('waiting'),
        ...{ endpointId: endpointIds.waiting, eventId: idOf('bounces', record), sourceId, stream: 'bounces' },
        ...{ retryAtMs: dueMs, dueMs, writeId: `due-${at}`, expiresAtSeconds: startSecond + daySeconds },
      },
      { kind: 'unsettled_before', rank: 2_000 },
    )
    if (result !== 'written') throw new Error('a delivery was not put')
  }
}

/** What a poller marks: of the last hours, or that it wrote one record into a day long past. */
export const putMark = async (ports: Ports, when: 'recent' | 'late'): Promise<void> => {
  const nowMs = ports.clock.now()
  // The end of today's partition: what is older than an hour is compared, and all of it is read.
  const second = when === 'recent' ? Math.floor(nowMs / 1_000) - 70 * 60 : startSecond - lateDays * daySeconds
  const midnight = second - (second % daySeconds)
  const { first } = eventIdRange(when === 'recent' ? second : midnight, second)
  const hour = hourOf(nowMs) - 4
  await ports.marks.lower({ sourceId, stream: 'bounces', day: dayOfSecond(second), hour, lowestId: first })
}

/** The events that the due deliveries are of, through the log itself. */
export const logRecent = async ({ log }: Ports): Promise<void> => {
  const records = recentRecords('bounces').slice(0, dueAtOnce)
  await log.record(
    records.map(record => ({
      ...{ id: idOf('bounces', record), sourceId, stream: 'bounces', type: 'email.bounce.hard' },
      ...{ recordId: record.uuid, second: record.second, body: '{}', endpointIds: [endpointIds.waiting] },
      ...{ loggedAtMs: startMs, expiresAtSeconds: startSecond + daySeconds },
    })),
  )
}
