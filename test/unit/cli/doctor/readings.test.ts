import { describe, expect, test } from 'vitest'
import type { CheckContext } from '../../../../infra/cli/doctor/check.ts'
import { clockSkewCheck, skewOf } from '../../../../infra/cli/doctor/clock-skew.ts'
import { lastIdCheck } from '../../../../infra/cli/doctor/last-id.ts'
import { isAscending, orderCheck } from '../../../../infra/cli/doctor/order.ts'
import type { Answered, SourceProbe, StreamProbe } from '../../../../infra/cli/doctor/probe-source.ts'
import { rateLimitCheck } from '../../../../infra/cli/doctor/rate-limit.ts'
import { systemClock } from '../../../../shared/adapters/system-clock.ts'
import type { RateLimit } from '../../../../shared/domain/polling/feedback-api.ts'
import type { Anchor } from '../../../../shared/domain/polling/walk-state.ts'
import { sourceOf } from '../../../integration/cli/filled-table.ts'

const startedMs = 1_795_132_800_000
const endedMs = startedMs + 200
const record = (uuid: string, second: number): Anchor => ({ uuid, second })

const answered = (
  anchors: readonly Anchor[],
  of: { dateMs?: number | null; rateLimit?: RateLimit | null } = {},
): Answered => ({
  kind: 'answered',
  page: {
    records: [],
    next: null,
    bytes: 2,
    count: anchors.length,
    serverDateMs: of.dateMs === undefined ? startedMs : of.dateMs,
    rateLimit: of.rateLimit ?? null,
  },
  anchors,
  startedMs,
  endedMs,
})

const first = [record('a', 1), record('b', 1), record('c', 2)]
const probeOf = (after: StreamProbe['after'], anchors: readonly Anchor[] = first): SourceProbe => [
  { stream: 'bounces', first: answered(anchors), after },
]

/** What a check of the service's answers needs of its context; the rest it must not touch. */
const contextOf = (probe: SourceProbe): CheckContext => {
  const untouched = new Proxy(Object.create(null), {
    get: (_, name) => {
      throw new Error(`the bridge was asked for ${String(name)}`)
    },
  })
  return {
    bridge: untouched,
    clock: systemClock,
    signal: AbortSignal.timeout(1_000),
    sources: [sourceOf('main')],
    endpoints: [],
    probe: async () => probe,
    sendsTests: false,
    allowPrivate: false,
    contacts: null,
  }
}

describe('the reading of last_id', () => {
  const [anchor, sibling, later] = first
  if (anchor === undefined || sibling === undefined || later === undefined) throw new Error('three records')
  const readingOf = async (answer: readonly Anchor[], of: { sibling?: Anchor | null } = {}) => {
    const after = {
      anchor,
      sibling: of.sibling === undefined ? sibling : of.sibling,
      answer: answered(answer),
    }
    const [found] = await lastIdCheck.run(contextOf(probeOf(after)))
    return [found?.outcome, found?.text.split(/[:;]/)[0]]
  }

  test('is a position where another record of the same second follows, a time where it does not', async () => {
    expect(await readingOf([sibling, later])).toEqual(['ok', 'position'])
    expect(await readingOf([later])).toEqual(['ok', 'timelogged'])
    expect(await readingOf([])).toEqual(['ok', 'timelogged'])
  })

  test('is none where the record itself or an earlier one comes back', async () => {
    expect(await readingOf([anchor, sibling, later])).toEqual(['warning', 'is ignored'])
    expect(await readingOf([record('z', 0), sibling])).toEqual(['warning', 'is ignored'])
  })

  test('can not be told without two records of one second, nor without any', async () => {
    expect(await readingOf([later], { sibling: null })).toEqual(['ok', 'is honoured'])
    expect(await lastIdCheck.run(contextOf(probeOf(null)))).toMatchObject([{ outcome: 'skipped' }])
  })
})

describe('the order of a list', () => {
  test('is ascending also where records share a second, and unknown where all do', () => {
    expect(isAscending({ anchors: first })).toBe(true)
    expect(isAscending({ anchors: first.toReversed() })).toBe(false)
    expect(isAscending({ anchors: first.slice(0, 2) })).toBeNull()
    expect(isAscending({ anchors: [] })).toBeNull()
  })

  test('that is ignored is a warning: the bridge copes', async () => {
    const found = await orderCheck.run(contextOf(probeOf(null, first.toReversed())))
    expect(found).toMatchObject([{ of: 'main, bounces', outcome: 'warning', text: 'order=asc is ignored' }])
  })
})

describe('the clock', () => {
  test('is off by no more than what Date, in whole seconds, and the time of the request leave open', () => {
    const skew = (dateMs: number): number => skewOf({ dateMs, startedMs, endedMs })
    expect([skew(startedMs), skew(endedMs), skew(startedMs - 999)]).toEqual([0, 0, 0])
    expect([skew(endedMs + 5_000), skew(startedMs - 10_999)]).toEqual([5_000, -10_000])
  })

  test.each([
    [20_000, 'ok'],
    [-40_000, 'warning'],
    [400_000, 'failed'],
    [null, 'warning'],
  ])('that is %s ms off is %s', async (offMs, outcome) => {
    const dateMs = offMs === null ? null : startedMs + offMs
    const probe: SourceProbe = [{ stream: 'bounces', first: answered(first, { dateMs }), after: null }]
    expect(await clockSkewCheck.run(contextOf(probe))).toMatchObject([{ of: 'main', outcome }])
  })
})

describe('the limit', () => {
  const found = async (rateLimit: RateLimit | null) => {
    const probe: SourceProbe = [{ stream: 'bounces', first: answered(first, { rateLimit }), after: null }]
    return rateLimitCheck.run(contextOf(probe))
  }

  test('that the service says may be higher than the source’s, or not be said, but not be lower', async () => {
    expect(await found({ limit: 60, remaining: 12, resetAtMs: null })).toMatchObject([
      { outcome: 'ok', text: 'the service says 60 a minute, 12 left; the source 60' },
    ])
    expect(await found(null)).toMatchObject([{ outcome: 'ok' }])
    expect(await found({ limit: 30, remaining: null, resetAtMs: null })).toMatchObject([
      { outcome: 'warning', mend: expect.stringContaining('update main --requests-per-minute 30') },
    ])
  })
})
