import { describe, expect, it } from 'vitest'
import { hourMs } from '../../shared/domain/time-units.ts'
import { createEvenDice } from './crash-points/even-dice.ts'
import { scenario } from './crash-points/scenario.ts'
import { atMs, atSecond, sourceId } from './crash-points/scenario-time.ts'
import type { Deaths } from './engine/deaths.ts'
import { createScheduler } from './engine/scheduler.ts'
import { createTrace } from './engine/trace.ts'
import { type Mistake, noMistake } from './functions/mistake.ts'
import type { Mood } from './plan/moods.ts'
import type { Plan } from './plan/plan.ts'
import type { PlannedRecord } from './plan/records.ts'
import { startMs } from './plan/start.ts'
import { idOf } from './rules/cursor-rules.ts'
import { runPlan } from './simulate.ts'

const minutesOfTrouble = 180

const record = (_: unknown, at: number): PlannedRecord => ({
  uuid: `record-${at}`,
  second: atSecond(-1),
  visibleAtMs: atMs(-1),
  isReadable: true,
  isRefused: false,
  bounceType: 'h',
  recipient: 'jo@example.com',
})

/** An hour before the rest: a start at the latest record does not send it. */
const leftOut: PlannedRecord = {
  ...record(null, 0),
  uuid: 'left-out',
  second: atSecond(-61),
  visibleAtMs: atMs(-61),
}

/** One endpoint that takes nothing as long as there is trouble, and one run of the poller. */
const planOf = (of: { records: number; mood: Mood } & Partial<Plan>): Plan => {
  const { records, mood, ...others } = of
  const sources = scenario.sources.map(planned => ({
    ...planned,
    source: { ...planned.source, startAt: { kind: 'earliest' } as const },
    readings: { ...planned.readings, pageSize: 100 },
    records: { bounces: Array.from({ length: records }, record), complaints: [] },
    forgets: null,
  }))
  const phases = [{ untilMs: atMs(minutesOfTrouble), mood }]
  const endpoints = scenario.endpoints.slice(0, 1).map(({ endpoint }) => ({
    endpoint: { ...endpoint, heartbeatEverySeconds: null },
    moods: { phases, healedAtMs: Number.POSITIVE_INFINITY },
  }))
  const chaosEndsAtMs = atMs(minutesOfTrouble)
  return {
    ...scenario,
    sources,
    endpoints,
    chaosEndsAtMs,
    operators: [],
    repeatsCommands: false,
    pollerTicksMs: [atMs(0.2)],
    ...others,
  }
}

const run = (plan: Plan, of: { mistake: Mistake; deaths?: Deaths }) => {
  const scheduler = createScheduler({
    startMs,
    dice: createEvenDice(),
    trace: createTrace({ keepsAll: false }),
    ...of,
  })
  return runPlan(plan, scheduler, { steps: 20_000, mistake: of.mistake })
}

describe('what a run must come to when its faults are over', () => {
  it('regression: gives a replay once more that died before its dead letters did', async () => {
    // Seed 4843 of 0474eb1: the command that goes on with an interrupted one leaves what died since.
    let struck = 0
    const deaths: Deaths = {
      strike: ({ kind }, { name }) => {
        if (kind !== 'operator' || name !== 'put plan') return 'no'
        struck += 1
        return struck === 1 ? 'after' : 'no'
      },
      isDoneAfterDeath: () => false,
    }
    // Without copies that AWS's redrive would put back before.
    const keepsNoCopies: Mistake = {
      dispatcher: deps => ({
        ...deps,
        deadLetters: { send: async entries => entries.map(() => ({ kind: 'failed', reason: 'away' })) },
      }),
    }
    const plan = planOf({ records: 3, mood: 'errs', operators: [{ atMs: atMs(5), kind: 'replay' }] })
    const { world } = await run(plan, { mistake: keepsNoCopies, deaths })
    expect(struck).toBeGreaterThan(1)
    expect(world.scheduler.violations()).toEqual([])
    const ends = [...world.table.seen.deliveries.values()].map(({ state, position }) => [
      state,
      position.round,
    ])
    expect(ends).toEqual(Array.from({ length: 3 }, () => ['delivered', 2]))
  })

  it('regression: rests where deliveries wait for records that the service has no more', async () => {
    // Seed 16755 of 0474eb1: sent, not recorded, and no run of the poller before the service's retention was over.
    const endsAtMs = atMs(minutesOfTrouble)
    const recordsNothing: Mistake = {
      poller: deps => ({
        ...deps,
        log: {
          ...deps.log,
          record: events =>
            deps.clock.now() < endsAtMs ? Promise.resolve(new Set()) : deps.log.record(events),
        },
      }),
    }
    const planned = planOf({ records: 60, mood: 'errs' })
    const plan = {
      ...planned,
      sources: planned.sources.map(of => ({
        ...of,
        readings: { ...of.readings, retentionSeconds: hourMs / 1_000 },
      })),
    }
    const { world } = await run(plan, { mistake: recordsNothing })
    expect(world.scheduler.violations()).toEqual([])
    expect(world.services.get(sourceId)?.records('bounces')).toHaveLength(60)
    expect(world.table.seen.events.size).toBe(0)
    const states = [...world.table.seen.deliveries.values()].map(({ state }) => state)
    expect(states).toHaveLength(60)
    expect(new Set(states)).toEqual(new Set(['waiting', 'held']))
    expect(world.ledger.accepted).toBe(0)
    expect(world.scheduler.steps).toBeLessThan(20_000)
  })

  it('regression: reads what a rewind asks for that comes after the last walk', async () => {
    // Seed 3098 of 81a55ec: the operator's process stood still until long after the faults, and lowered the floor then.
    const planned = planOf({
      records: 1,
      mood: 'well',
      operators: [
        // Nothing to return: the clock is to stand where the trouble ends.
        { atMs: atMs(minutesOfTrouble), kind: 'return_secret' },
        {
          atMs: atMs(minutesOfTrouble + 2.5),
          kind: 'rewind',
          target: { stream: 'bounces', secondsBack: (5 * hourMs) / 1_000, lowerFloor: true },
        },
      ],
    })
    const plan = {
      ...planned,
      sources: planned.sources.map(of => ({
        ...of,
        source: { ...of.source, startAt: { kind: 'latest' } as const },
        records: { ...of.records, bounces: [leftOut, ...of.records.bounces] },
      })),
    }
    const { world, rules } = await run(plan, { mistake: noMistake })
    expect(world.scheduler.violations()).toEqual([])
    const commits = rules.commits.filter(({ key }) => key.stream === 'bounces' && key.name === 'main')
    const rewoundAt = commits.findIndex(({ isByOperator }) => isByOperator)
    // All that the calm waits for was there before the rewind.
    const walks = commits
      .slice(0, rewoundAt)
      .filter(({ before, after }) => after.lastCompleteWalkAtMs !== (before?.lastCompleteWalkAtMs ?? null))
    expect(walks.filter(({ atMs: committedMs }) => committedMs > atMs(minutesOfTrouble))).toHaveLength(2)
    const ids = world.services
      .get(sourceId)
      ?.records('bounces')
      .map(each => idOf(sourceId, 'bounces', each))
    expect(ids).toHaveLength(2)
    expect([...world.ledger.loggedAt.keys()].toSorted()).toEqual(ids?.toSorted())
    expect(world.ledger.accepted).toBe(1)
  })
})
