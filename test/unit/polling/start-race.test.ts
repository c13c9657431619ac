import { describe, expect, it } from 'vitest'
import { createMemoryCursorStore } from '../../../shared/adapters/memory/cursor-store.ts'
import { createMemoryEventLog } from '../../../shared/adapters/memory/event-log.ts'
import { createMemoryQuarantine } from '../../../shared/adapters/memory/quarantine.ts'
import { createMemoryReconcileMarks } from '../../../shared/adapters/memory/reconcile-marks.ts'
import { emptyCursor } from '../../../shared/domain/polling/cursor.ts'
import { createEnqueue } from '../../../shared/domain/polling/enqueue.ts'
import { findStart } from '../../../shared/domain/polling/find-start.ts'
import { createIntake } from '../../../shared/domain/polling/intake.ts'
import { createKnownRecords } from '../../../shared/domain/polling/known-records.ts'
import { createRequestGate, newGateState } from '../../../shared/domain/polling/request-gate.ts'
import type { StreamContext } from '../../../shared/domain/polling/stream-context.ts'
import { createStreamPoller } from '../../../shared/domain/polling/stream-poller.ts'
import { sourceDefaults } from '../../../shared/domain/source.ts'
import { createDice } from './world/dice.ts'
import { serviceRecord } from './world/records.ts'
import { createService, plainReadings } from './world/service.ts'
import { createVirtualClock } from './world/virtual-clock.ts'
import { startSecond } from './world/world.ts'

const of = { sourceId: 'main', stream: 'bounces' } as const
const startsAtLatest = {
  ...sourceDefaults,
  id: of.sourceId,
  baseUrl: 'https://service.example',
  tokenSecret: 'token',
}
const silent = { report: () => undefined }

const createRace = () => {
  const clock = createVirtualClock(startSecond * 1_000)
  const service = createService({ clock, dice: createDice(1), readings: plainReadings })
  const cursors = createMemoryCursorStore()
  const log = createMemoryEventLog()
  const marks = createMemoryReconcileMarks()

  /** A process of its own: what it does between its reading of the list and its first write waits for `goOn`. */
  const newProcess = (goOn: Promise<void>) => {
    const known = createKnownRecords({ log, ...of })
    const queue = { send: async () => [] }
    const enqueue = createEnqueue({ queue, log, marks, reporter: silent, clock }, of)
    const endpoints = async () => []
    const deps = { known, enqueue, quarantine: createMemoryQuarantine(), endpoints, reporter: silent, clock }
    const context: StreamContext = {
      source: startsAtLatest,
      stream: of.stream,
      cursors,
      log,
      known,
      intake: createIntake(deps, of),
      logAsSeen: enqueue,
      reporter: silent,
      clock,
    }
    const api: typeof service.api = {
      listPage: async request => {
        const page = await service.api.listPage(request)
        await goOn
        return page
      },
    }
    const run = {
      isOver: () => false,
      signal: new AbortController().signal,
      onSpent: () => undefined,
      isOurs: async () => true,
    }
    const gateDeps = { api, clock, requestsPerMinute: 60 }
    const gate = createRequestGate(gateDeps, newGateState(60), run)
    return { context, gate }
  }
  const lookForStart = (goOn: Promise<void>) => {
    const { context, gate } = newProcess(goOn)
    return findStart(context, gate, null)
  }
  const put = (...uuids: string[]): void => {
    for (const uuid of uuids) {
      service.put(of.stream, [serviceRecord({ uuid, second: Math.floor(service.nowMs() / 1_000) })])
    }
  }
  const logged = () => log.all().map(({ recordId }) => recordId)
  const floor = async () => (await cursors.read({ ...of, name: 'main' }))?.cursor.floorSecond
  return { clock, put, cursors, newProcess, lookForStart, logged, floor }
}

/** A record comes between the looks of two runs; the one that looked first goes on first, and the other is superseded. */
const overtake = async ({ clock, put, lookForStart }: ReturnType<typeof createRace>): Promise<void> => {
  const [earlierGoesOn, laterGoesOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const earlier = lookForStart(earlierGoesOn.promise)
  await clock.turnTo((startSecond + 10) * 1_000)
  put('new')
  const later = lookForStart(laterGoesOn.promise)
  await clock.turnTo((startSecond + 20) * 1_000)
  earlierGoesOn.resolve()
  expect((await earlier).end).toEqual({ kind: 'complete' })
  laterGoesOn.resolve()
  expect((await later).end).toEqual({ kind: 'superseded' })
}

describe('two runs that look for the start at the latest record at the same time', () => {
  it('regression: log nothing as seen that is new to the start which the other one has found', async () => {
    const race = createRace()
    race.put('there at the start')
    await overtake(race)
    // It is to be sent: what the log holds already never is.
    expect(race.logged()).toEqual(['there at the start'])
    expect(await race.floor()).toBe(startSecond)
  })

  it('regression: nor where the earlier one has found an empty list', async () => {
    const race = createRace()
    await overtake(race)
    expect(race.logged()).toEqual([])
    expect(await race.floor()).toBe(0)
  })

  it('regression: read nothing while the other one is still looking for it', async () => {
    const { clock, put, cursors, newProcess } = createRace()
    const goesOn = Promise.withResolvers<void>()
    put('there at the start')
    const { context, gate } = newProcess(goesOn.promise)
    const polling = createStreamPoller(context, []).poll(gate, () => false)
    await clock.turnTo((startSecond + 10) * 1_000)
    const start = { query: '', newestSecond: null, before: null, lastSecond: null, newestFirst: true }
    const searching = { ...emptyCursor, start }
    await cursors.commit({ ...of, name: 'main' }, searching, null)
    goesOn.resolve()
    expect(await polling).toEqual({ kind: 'superseded' })
    expect(await cursors.read({ ...of, name: 'main' })).toEqual({ cursor: searching, version: 1 })
  })
})
