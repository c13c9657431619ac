import { afterEach, describe, expect, it, vi } from 'vitest'
import { metricNames, metricsNamespace } from '../../../shared/adapters/telemetry/metric-names.ts'
import type { Happening, PollHappening } from '../../../shared/domain/happenings.ts'
import { createHarness, metricsOfTelling } from './harness.ts'
import { allSamples, type Kind, samples } from './samples.ts'

afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

const service = { service: 'bridge' }
const bounces = { service: 'bridge', source: 'main', stream: 'bounces' }
const poll = (of: Partial<PollHappening> = {}): Happening => ({ ...samples.poll, ...of })

describe('the metrics', () => {
  /** What each kind is published as, without source and stream. */
  const published: Record<Kind, Record<string, number>> = {
    poll: {
      ...{ Requests: 2, RecordsRead: 9, BeyondMemory: 1 },
      ...{ BudgetLeft: 40, NewestRecordLag: 12, AnchorAge: 300 },
    },
    poll_fault: { PollFaults: 1 },
    anchor_lost: { AnchorsLost: 1 },
    sweep_behind: { SweepBehind: 900 },
    stream_state: { SinceCompleteWalk: 4.5 },
    enqueued: { Enqueued: 1 },
    quarantined: { Quarantined: 1 },
    attempt: { AttemptsFailed: 1, AttemptMs: 120 },
    delivered: { Delivered: 1, EventAgeMs: 9_500 },
    waiting: {},
    held: {},
    dead: { DeadLettered: 1 },
    cancelled: {},
    duplicate: { Duplicates: 1 },
    fault: { Faults: 1 },
    unreadable_message: { UnreadableMessages: 1 },
    endpoint_disabled: { EndpointsDisabled: 1 },
    operator_told: {},
    endpoint_lane: {},
    heartbeat: {},
    breaker: {},
    released: { Released: 7 },
    reconciled: { Reconciled: 1 },
    endpoint_backlog: {},
    backlog: { Waiting: 3, Held: 2, DeadLetters: 1, OldestHeld: 7_200, OldestWaiting: 60 },
  }

  it.each(allSamples)('of $kind are exactly these', async happening => {
    const [all = { dimensions: service, metrics: {} }] = await metricsOfTelling([happening])
    expect(all).toEqual({ dimensions: service, metrics: published[happening.kind] })
  })

  it('have the names and units of the list, and each of the list is published by something', async () => {
    const harness = createHarness('ERROR')
    const failed = poll({ outcome: 'failed', status: 401, detail: 'no', reason: 'token_refused' })
    await harness.tell([...allSamples, failed])
    const [all] = harness.blobs()
    expect(all?.units).toEqual(
      Object.fromEntries(Object.values(metricNames).map(({ name, unit }) => [name, unit])),
    )
    expect(all?.namespace).toBe(metricsNamespace)
  })

  it('hold nothing but themselves and their dimensions', async () => {
    const harness = createHarness('ERROR')
    await harness.tell(allSamples)
    expect(harness.blobs().flatMap(({ others }) => others)).toEqual([])
    expect(harness.blobs().map(({ dimensionSets }) => dimensionSets)).toEqual([
      [['service']],
      [['service', 'source', 'stream']],
    ])
  })

  it('have the time of the end of the invocation', async () => {
    const harness = createHarness('ERROR')
    const before = Date.now()
    await harness.tell([samples.dead])
    const [{ timestamp } = { timestamp: 0 }] = harness.blobs()
    expect(timestamp).toBeGreaterThanOrEqual(before)
    expect(timestamp).toBeLessThanOrEqual(Date.now())
  })

  it('of thousands of polls are one blob for each stream and one for all, with sums and the worst', async () => {
    function* run() {
      for (let n = 1; n <= 3_000; n += 1) {
        yield poll({ requests: 1, read: 2, budgetLeft: 40 - (n % 30), newestAgeSeconds: n })
        yield poll({ stream: 'complaints', newestAgeSeconds: null, anchorAgeSeconds: n * 2 })
      }
      yield samples.stream_state
      yield { ...samples.stream_state, stream: 'complaints', sinceCompleteWalkSeconds: 90 } as const
    }
    expect(await metricsOfTelling(run())).toEqual([
      {
        dimensions: service,
        metrics: {
          ...{ Requests: 9_000, RecordsRead: 33_000, BeyondMemory: 6_000 },
          ...{ BudgetLeft: 11, NewestRecordLag: 3_000, AnchorAge: 6_000, SinceCompleteWalk: 90 },
        },
      },
      { dimensions: bounces, metrics: { NewestRecordLag: 3_000, SinceCompleteWalk: 4.5 } },
      { dimensions: { ...bounces, stream: 'complaints' }, metrics: { SinceCompleteWalk: 90 } },
    ])
  })

  it('keep sources of the same streams apart', async () => {
    const other = { ...samples.stream_state, source: 'other', sinceCompleteWalkSeconds: 60 } as const
    expect(await metricsOfTelling([other, samples.stream_state])).toEqual([
      { dimensions: service, metrics: { SinceCompleteWalk: 60 } },
      { dimensions: { ...bounces, source: 'other' }, metrics: { SinceCompleteWalk: 60 } },
      { dimensions: bounces, metrics: { SinceCompleteWalk: 4.5 } },
    ])
  })

  it('of a stream without records and anchor lack their ages, and counts of none', async () => {
    const nothing = poll({
      ...{ newestAgeSeconds: null, anchorAgeSeconds: null, read: 0, beyondMemory: 0, budgetLeft: 0 },
    })
    expect(await metricsOfTelling([nothing])).toEqual([
      { dimensions: service, metrics: { Requests: 2, BudgetLeft: 0 } },
    ])
  })

  it('of an empty backlog are zeros, so that alarms end', async () => {
    const none = {
      ...{ ...samples.backlog, waiting: 0, held: 0, dead: 0 },
      ...{ oldestHeldSeconds: null, oldestWaitingSeconds: null },
    }
    expect(await metricsOfTelling([none])).toEqual([
      {
        dimensions: service,
        metrics: { Waiting: 0, Held: 0, DeadLetters: 0, OldestHeld: 0, OldestWaiting: 0 },
      },
    ])
  })

  it('never hold what is no number', async () => {
    const odd = [Number.NaN, Number.POSITIVE_INFINITY].flatMap(value => [
      poll({ requests: value, read: value, beyondMemory: 0, budgetLeft: value, newestAgeSeconds: value }),
      { ...samples.attempt, reason: null, tookMs: value },
    ])
    expect(await metricsOfTelling(odd)).toEqual([{ dimensions: service, metrics: { AnchorAge: 300 } }])
  })

  it('of an invocation are not in the next, and nothing is published of nothing', async () => {
    const harness = createHarness('ERROR')
    await harness.tell([samples.dead, samples.dead])
    await harness.tell([samples.dead])
    await harness.tell([])
    expect(harness.blobs().map(({ metrics }) => metrics)).toEqual([{ DeadLettered: 2 }, { DeadLettered: 1 }])
    expect(harness.lines()).toEqual([])
  })

  it('that are told of between two invocations are counted with the second', async () => {
    const harness = createHarness('ERROR')
    harness.reporter.report(samples.dead)
    await harness.tell([samples.dead])
    expect(harness.blobs().map(({ metrics }) => metrics)).toEqual([{ DeadLettered: 2 }])
  })

  it('can be turned off as Powertools has it', async () => {
    vi.stubEnv('POWERTOOLS_METRICS_DISABLED', 'true')
    const harness = createHarness('WARN')
    await harness.tell([samples.dead])
    expect(harness.blobs()).toEqual([])
    expect(harness.lines()).toHaveLength(1)
  })
})
