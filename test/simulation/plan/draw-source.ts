import { type Source, type StreamName, sourceDefaults } from '../../../shared/domain/source.ts'
import type { Dice } from '../../unit/polling/world/dice.ts'
import { plainReadings, type Readings, type ServiceFaults } from '../../unit/polling/world/service.ts'
import type { PlannedRecord } from './records.ts'
import { startMs } from './start.ts'

export type PlannedSource = {
  source: Source
  readings: Readings
  faults: ServiceFaults
  /** The whole service shows what it has so much later. */
  lagSeconds: number
  records: Record<StreamName, PlannedRecord[]>
  /** When it forgets what it shows, and how much of it; `only`: of these uuids. */
  forgets: { atMs: number; share: number; only?: readonly string[] } | null
  /** When it changes how many records a page has. */
  repages: { atMs: number; pageSize: number } | null
}

const historySeconds = 3_000
const recordsMax = 60
const tiesMax = 8

export const drawSource = (
  id: string,
  dice: Dice,
  of: { chaosEndsAtMs: number; pollerTicksMs: readonly number[] },
): PlannedSource => {
  const readings = drawReadings(dice)
  const lagSeconds = dice.chance(0.1) ? dice.int(1, 600) : 0
  const overlapSeconds = dice.pick([30, 60, 120])
  const startSecond = startMs / 1_000
  const start = dice.pick(['earliest', 'latest', 'time'] as const)
  const source: Source = {
    ...sourceDefaults,
    id,
    baseUrl: 'https://service.example',
    tokenSecret: `token-${id}`,
    startAt:
      start === 'time'
        ? { kind: 'time', second: startSecond - dice.int(0, historySeconds) }
        : { kind: start },
    pollEverySeconds: dice.pick([20, 60, 60]),
    overlapSeconds,
    requestsPerMinute: readings.requestsPerMinute,
  }
  const share = (): number => dice.pick([0, 0, 0.03, 0.15])
  const forgets = readings.next === 'cursor' && dice.chance(0.1)
  return {
    source,
    readings,
    faults: { serverError: share(), timeout: share() / 3, garbage: share(), rateLimited: share() / 3 },
    lagSeconds,
    records: {
      bounces: drawRecords(dice, { ...of, id, stream: 'bounces', readings, lagSeconds, overlapSeconds }),
      complaints: drawRecords(dice, {
        ...of,
        id,
        stream: 'complaints',
        readings,
        lagSeconds,
        overlapSeconds,
      }),
    },
    repages: dice.chance(0.15)
      ? { atMs: dice.int(startMs, of.chaosEndsAtMs), pageSize: dice.pick([3, 10, 50]) }
      : null,
    forgets: forgets ? { atMs: dice.int(startMs, of.chaosEndsAtMs), share: dice.pick([1, 0.5, 0.1]) } : null,
  }
}

const drawReadings = (dice: Dice): Readings => {
  const isPlain = dice.chance(0.3)
  if (isPlain) return { ...plainReadings, pageSize: dice.pick([5, 20, 100]) }
  const next = dice.pick(['cursor', 'page'] as const)
  // Where the list loses its head, pages by number shift; the bridge asks so only within a second.
  const expires = next === 'cursor' && dice.chance(0.15)
  return {
    lastId: dice.pick(['position', 'timelogged']),
    order: dice.chance(0.2) ? 'ignored' : 'honoured',
    next,
    unknownLastId: dice.pick(['422', 'all', 'empty', '500']),
    pageSize: dice.pick([2, 5, 20, 100]),
    timelogged: dice.pick(['seconds', 'milliseconds', 'digits', 'rfc3339']),
    retentionSeconds: expires ? dice.int(600, 20_000) : null,
    date: dice.pick(['present', 'present', 'absent', 'sometimes']),
    skewMs: dice.chance(0.25) ? dice.int(-600_000, 600_000) : 0,
    latencyMsMax: dice.chance(0.3) ? dice.int(10, 2_500) : 0,
    rateLimitHeaders: dice.chance(0.5),
    requestsPerMinute: dice.chance(0.7) ? 60 : 600,
  }
}

const drawRecords = (
  dice: Dice,
  of: {
    id: string
    stream: StreamName
    readings: Readings
    chaosEndsAtMs: number
    pollerTicksMs: readonly number[]
    lagSeconds: number
    overlapSeconds: number
  },
): PlannedRecord[] => {
  const skewSeconds = Math.ceil(of.readings.skewMs / 1_000)
  const count = dice.pick([0, 2, 8, 20, of.readings.pageSize < 5 ? 20 : recordsMax])
  const lateShare = dice.pick([0, 0.1, 0.4])
  const unreadableShare = dice.pick([0, 0, 0.05])
  const refusedShare = dice.pick([0, 0, 0, 0.05])
  const ties = dice.pick([1, 1, 3, tiesMax])
  const records: PlannedRecord[] = []
  while (records.length < count) {
    const isHistory = dice.chance(0.25)
    const near = of.pollerTicksMs[dice.int(0, Math.max(0, of.pollerTicksMs.length - 1))] ?? startMs
    const from = isHistory ? startMs / 1_000 - historySeconds : near / 1_000 - 120
    const second = skewSeconds + Math.floor(from) + dice.int(0, isHistory ? historySeconds : 600)
    for (let tie = dice.int(1, ties); tie > 0; tie -= 1) {
      const late = dice.chance(lateShare) ? drawLateness(dice, of.overlapSeconds) : 0
      records.push({
        uuid: `${dice.int(0, 999_999)}-${of.id}-${of.stream}-${records.length}`,
        second,
        visibleAtMs: (second + of.lagSeconds + late) * 1_000,
        isReadable: !dice.chance(unreadableShare),
        isRefused: dice.chance(refusedShare),
        bounceType: dice.pick(['h', 'h', 's', 'x']),
        recipient: `${dice.pick(['jo', 'al', 'kim', 'sam'])}@example.com`,
      })
    }
  }
  return records
}

/** Within the overlap, within the reach of the one sweep or the other, or beyond all. */
const drawLateness = (dice: Dice, overlapSeconds: number): number =>
  dice.pick([dice.int(0, overlapSeconds), overlapSeconds, dice.int(0, 3_600), dice.int(0, 30 * 3_600)])
