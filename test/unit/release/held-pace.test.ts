import { describe, expect, test } from 'vitest'
import { roundMsMax } from '../../../shared/domain/delivery/retry-policy.ts'
import { noLimits } from '../../../shared/domain/endpoint/endpoint.ts'
import { type EndpointHealth, goodHealth } from '../../../shared/domain/endpoint/endpoint-health.ts'
import { leaseMs } from '../../../shared/domain/release/due-entries.ts'
import { release } from '../../../shared/domain/release/release.ts'
import { recoveryPerSecondFirst } from '../../../shared/domain/release/release-pace.ts'
import { endpointOf, idOf, nowMs } from '../delivery/harness.ts'
import { createHarness } from './harness.ts'

const heldAt = (dueMs: number) => ({
  state: 'held' as const,
  reason: 'breaker_open',
  position: { round: 1, attempt: 0 },
  retryAtMs: null,
  dueMs,
  firstFailureAtMs: dueMs,
})

/** An endpoint for which so many deliveries are held, the first one for longest. */
const createWorld = async (health: Partial<EndpointHealth>, count: number, limits = noLimits) => {
  const endpoint = endpointOf({ health: { ...goodHealth, ...health }, limits })
  const harness = await createHarness({ endpoints: [endpoint] })
  for (let at = 0; at < count; at += 1) await harness.given(`event-${at}`, heldAt(nowMs - 600_000 + at))
  const run = () => release({ endsAtMs: Number.MAX_SAFE_INTEGER }, harness.deps)
  return { ...harness, run }
}

const openUntil = (nextProbeAtMs: number): EndpointHealth['open'] => ({
  sinceMs: nowMs - 90_000,
  because: 'failures_in_row',
  probes: 1,
  nextProbeAtMs,
})

describe('of what is held', () => {
  test('one goes out as a probe when it is due: the one that is held for longest', async () => {
    const world = await createWorld({ open: openUntil(nowMs) }, 5)
    expect(await world.run()).toEqual({ sent: 1, complete: true })
    expect(world.sentIds()).toEqual([idOf('event-0')])
    expect(world.sent).toMatchObject([{ delayMs: 0 }])
  })

  test('nothing goes out before the probe is due, or while the endpoint wants to be left alone', async () => {
    const early = await createWorld({ open: openUntil(nowMs + 60_000) }, 3)
    const paused = await createWorld({ pausedUntilMs: nowMs + 60_000 }, 3)
    expect([(await early.run()).sent, (await paused.run()).sent]).toEqual([0, 0])
    await paused.turn(60_000)
    expect((await paused.run()).sent).toBe(3)
  })

  test('what has been held for as long as a round may last goes out whatever the breaker says', async () => {
    const world = await createWorld({ open: openUntil(nowMs + 300_000), pausedUntilMs: nowMs + 300_000 }, 2)
    const overMs = nowMs - roundMsMax(world.deps.schedule)
    await world.given('over', heldAt(overMs))
    await world.given('not over', heldAt(overMs + 1))
    expect((await world.run()).sent).toBe(1)
    expect(world.sentIds()).toEqual([idOf('over')])
  })

  test('regression: what was held for a week goes at its pace, too, to an endpoint that is ready again', async () => {
    const perRun = recoveryPerSecondFirst * 60
    const world = await createWorld({ readySinceMs: nowMs }, 5)
    const weekAgoMs = nowMs - 7 * 24 * 3_600_000
    for (let at = 0; at < perRun; at += 1) await world.given(`week-${at}`, heldAt(weekAgoMs + at))
    expect((await world.run()).sent).toBe(perRun)
    const oldest = Array.from({ length: perRun }, (_, at) => idOf(`week-${at}`))
    expect(world.sentIds()).toEqual(oldest.toSorted())
    expect(world.sent.at(-1)).toMatchObject({ delayMs: (perRun - 1) * 500 })
  })

  test('a first part goes to an endpoint that is ready again, spread over the time to the next run', async () => {
    const perRun = recoveryPerSecondFirst * 60
    const world = await createWorld({ readySinceMs: nowMs }, perRun + 30)
    expect(await world.run()).toEqual({ sent: perRun, complete: true })
    const delays = world.sent.map(({ delayMs }) => delayMs)
    expect(delays).toEqual(Array.from({ length: perRun }, (_, at) => at * 500))
    const first = Array.from({ length: perRun }, (_, at) => idOf(`event-${at}`))
    expect(world.sentIds()).toEqual(first.toSorted())
    await world.turn(60_000)
    expect((await world.run()).sent).toBe(30)
  })

  test('as much goes to an endpoint with limits as it takes until the next run, and the rest stays as it was', async () => {
    const world = await createWorld({}, 10, { maxPerSecond: 0.1, maxInFlight: null })
    expect((await world.run()).sent).toBe(6)
    expect(world.sent.map(({ delayMs }) => delayMs)).toEqual([0, 10_000, 20_000, 30_000, 40_000, 50_000])
    expect(await world.item('event-9')).toMatchObject({ dueMs: nowMs - 600_000 + 9 })
    expect(await world.item('event-0')).toMatchObject({ dueMs: nowMs + leaseMs })
  })
})
