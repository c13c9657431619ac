import { type Endpoint, endpointDefaults } from '../../../../shared/domain/endpoint/endpoint.ts'
import { eventId } from '../../../../shared/domain/feedback/event-id.ts'
import type { Happening } from '../../../../shared/domain/happenings.ts'
import type { Cursor, CursorName } from '../../../../shared/domain/polling/cursor.ts'
import type { SweepPlan } from '../../../../shared/domain/polling/sweeps.ts'
import { sweepPlans } from '../../../../shared/domain/polling/sweeps.ts'
import { type Source, type StreamName, sourceDefaults } from '../../../../shared/domain/source.ts'
import { createDice } from './dice.ts'
import { type Commit, createLedger, type Ledger } from './ledger.ts'
import { noStoreFaults, type Process, type StoreFaults, startProcess } from './process.ts'
import { serviceRecord } from './records.ts'
import { createService, plainReadings, type Readings, type Service } from './service.ts'
import { createVirtualClock, type VirtualClock } from './virtual-clock.ts'

export const sourceId = 'main'
/** Some while before midnight, so that a long world crosses from one day of the log into the next. */
export const startSecond = Date.UTC(2026, 10, 20, 23, 40) / 1000
export const runMs = 150_000
const runEveryMs = 60_000

const endpoint = (id: string, types: readonly string[]): Endpoint => ({
  ...endpointDefaults,
  id,
  url: `https://${id}.example/`,
  types,
  keys: [],
})
export const endpoints: readonly Endpoint[] = [
  endpoint('everything', ['*']),
  endpoint('hard-bounces', ['email.bounce.hard']),
]

export type WorldOptions = {
  seed?: number
  readings?: Partial<Readings>
  source?: Partial<Source>
  sweeps?: readonly SweepPlan[]
  /** alternating: each run in another process than the one before, which goes on until it sees its lease taken. */
  processes?: 'one' | 'alternating'
  onCommit?: (commit: Commit, world: World) => void
}

export type Put = {
  uuid: string
  /** From the world's start on; negative for history. */
  at: number
  visibleAt?: number
  readable?: boolean
}

export type World = {
  clock: VirtualClock
  service: Service
  ledger: Ledger
  source: Source
  happenings: Happening[]
  faults: StoreFaults
  /** The next process that starts dies at this boundary of a call. */
  nextDiesAt: number | null
  /** Seconds since the world's start. */
  now(): number
  put(stream: StreamName, ...records: Put[]): void
  /** Lets so many seconds pass, with a new run each minute. */
  pass(seconds: number): Promise<void>
  /** Kills what runs; the next minute begins with a new process. */
  kill(): void
  /** Ends all runs: what still sleeps would keep the world in memory. */
  stop(): Promise<void>
  /** The uuids in the log, sorted. */
  logged(stream: StreamName): string[]
  /** How often an event of the record was sent to the endpoint that takes everything. */
  sent(stream: StreamName, uuid: string): number
  cursor(stream: StreamName, name?: CursorName): Promise<Cursor>
}

/** A service, a bridge's poller with its stores, and a clock: all in one thread, repeated by a seed. */
export const createWorld = (options: WorldOptions = {}): World => {
  const clock = createVirtualClock(startSecond * 1000)
  const dice = createDice(options.seed ?? 1)
  const readings = { ...plainReadings, ...options.readings }
  const service = createService({ clock, dice, readings })
  const ledger = createLedger({ now: clock.now, onCommit: commit => options.onCommit?.(commit, world) })
  const source: Source = {
    ...sourceDefaults,
    id: sourceId,
    baseUrl: 'https://service.example',
    tokenSecret: 'token',
    startAt: { kind: 'earliest' },
    ...options.source,
  }
  const happenings: Happening[] = []
  const places: [Process | null, Process | null] = [null, null]
  let runs = 0
  let nextRunMs = clock.now()
  let stopped = new AbortController()

  const processFor = (run: number): Process => {
    const place = options.processes === 'alternating' && run % 2 === 1 ? 1 : 0
    const there = places[place]
    if (there?.alive() === true) return there
    const diesAt = world.nextDiesAt
    world.nextDiesAt = null
    const fresh = startProcess({
      clock,
      dice,
      stores: ledger.stores,
      api: service.api,
      source,
      endpoints,
      reporter: { report: happening => void happenings.push(happening) },
      sweeps: options.sweeps ?? sweepPlans,
      faults: () => world.faults,
      diesAt,
    })
    places[place] = fresh
    return fresh
  }

  const startRun = (): void => {
    const { poller } = processFor(runs)
    runs += 1
    const run = { runId: `run-${runs}`, endsAtMs: clock.now() + runMs, signal: stopped.signal }
    poller.run(run).catch((error: unknown) => {
      // As on AWS: a run that fails as a whole is followed by the next one.
      if (!(error instanceof Error && error.message.startsWith('injected'))) throw error
    })
  }

  const secondOf = (put: Put): number => startSecond + put.at
  const world: World = {
    clock,
    service,
    ledger,
    source,
    happenings,
    faults: noStoreFaults,
    nextDiesAt: null,
    now: () => (clock.now() - startSecond * 1000) / 1000,
    put: (stream, ...records) => {
      const { timelogged } = service.readings
      service.put(
        stream,
        records.map(put =>
          serviceRecord({
            ...put,
            second: secondOf(put),
            visibleAtSecond: startSecond + (put.visibleAt ?? put.at),
            timelogged,
          }),
        ),
      )
    },
    pass: async seconds => {
      const untilMs = clock.now() + seconds * 1000
      while (nextRunMs < untilMs) {
        await clock.turnTo(nextRunMs)
        startRun()
        nextRunMs += runEveryMs
      }
      await clock.turnTo(untilMs)
    },
    kill: () => {
      for (const process of places) process?.kill()
      places.fill(null)
      nextRunMs = clock.now()
    },
    stop: async () => {
      stopped.abort()
      await clock.turnTo(clock.now())
      stopped = new AbortController()
      nextRunMs = clock.now()
    },
    logged: stream =>
      [...ledger.logged.values()]
        .filter(event => event.stream === stream)
        .map(event => event.recordId)
        .sort(),
    sent: (stream, uuid) => {
      const record = service.records(stream).find(one => one.uuid === uuid)
      if (record === undefined) throw new Error(`no record ${uuid}`)
      const id = eventId({ sourceId, stream, uuid, second: record.second })
      return ledger.sent.get(id)?.get('everything') ?? 0
    },
    cursor: async (stream, name = 'main') => {
      const found = await ledger.stores.cursors.read({ sourceId, stream, name })
      if (found === null) throw new Error(`${stream} has no cursor`)
      return found.cursor
    },
  }
  return world
}
