import { describe, expect, it } from 'vitest'
import { createMemoryCursorStore } from '../../../shared/adapters/memory/cursor-store.ts'
import { createMemoryEventLog } from '../../../shared/adapters/memory/event-log.ts'
import { createMemoryQuarantine } from '../../../shared/adapters/memory/quarantine.ts'
import { createMemoryReconcileMarks } from '../../../shared/adapters/memory/reconcile-marks.ts'
import { createMemoryRunLease } from '../../../shared/adapters/memory/run-lease.ts'
import { createMemorySourceStore } from '../../../shared/adapters/memory/source-store.ts'
import { BridgeError } from '../../../shared/domain/bridge-error.ts'
import type { QueueEntry } from '../../../shared/domain/delivery/delivery-queue.ts'
import type { Happening } from '../../../shared/domain/happenings.ts'
import { createPoller, type PollerDeps } from '../../../shared/domain/polling/poller.ts'
import type { Source } from '../../../shared/domain/source.ts'
import { endpointOf, nowMs } from '../delivery/harness.ts'
import { nowSecond, sourceOf } from './start-harness.ts'
import { serviceRecord } from './world/records.ts'
import { createVirtualClock } from './world/virtual-clock.ts'

const active = (id: string, over: Partial<Source> = {}): Source =>
  sourceOf({ id, startAt: { kind: 'earliest' }, ...over })

/** A poller of these sources, each of whose lists has these records; `noted`: what runs did, in its order. */
const createHarness = async (
  of: { sources: readonly Source[]; records?: readonly string[] } & Partial<
    Pick<PollerDeps, 'pollEverySecondsMin'>
  >,
) => {
  const clock = createVirtualClock(nowMs)
  const sources = createMemorySourceStore()
  for (const source of of.sources) await sources.put(source)
  const lease = createMemoryRunLease()
  const noted: string[] = []
  const asked: string[] = []
  const opened: string[] = []
  const sent: QueueEntry[] = []
  const happenings: Happening[] = []
  const log = createMemoryEventLog()
  const records = (of.records ?? []).map(uuid => serviceRecord({ uuid, second: nowSecond - 10 }).raw)
  const deps: PollerDeps = {
    ...{ sources, clock, log, sweeps: [] },
    cursors: createMemoryCursorStore(),
    quarantine: createMemoryQuarantine(),
    marks: createMemoryReconcileMarks(),
    lease: {
      ...lease,
      take: async taken => {
        noted.push(`${taken.runId} takes ${taken.sourceId}`)
        return lease.take(taken)
      },
    },
    apiOf: ({ id }) => {
      opened.push(id)
      return {
        listPage: async ({ stream }) => {
          asked.push(`${id} ${stream}`)
          return { records, next: null, bytes: 0, serverDateMs: clock.now(), rateLimit: null }
        },
      }
    },
    queue: {
      send: async entries => {
        sent.push(...entries)
        return entries.map(() => ({ kind: 'sent' }))
      },
    },
    endpoints: async () => [endpointOf()],
    reporter: {
      report: happening => {
        happenings.push(happening)
        if (happening.kind === 'stream_state') noted.push(`${happening.source} ${happening.stream} told`)
      },
    },
    ...(of.pollEverySecondsMin === undefined ? {} : { pollEverySecondsMin: of.pollEverySecondsMin }),
  }
  const begin = (over: Partial<PollerDeps> = {}) => {
    const poller = createPoller({ ...deps, ...over })
    return (runId: string, lastsMs: number, signal = new AbortController().signal) =>
      poller.run({ runId, endsAtMs: clock.now() + lastsMs, signal })
  }
  /** A run to its end, of a process that has made none before. */
  const runOnce = async (lastsMs: number, over: Partial<PollerDeps> = {}) => {
    const run = begin(over)('run', lastsMs)
    await clock.turnTo(clock.now() + lastsMs)
    await run
  }
  return { clock, sources, deps, begin, runOnce, noted, asked, opened, sent, happenings, log }
}

describe('a run', () => {
  it('polls both streams of every active source, and of no paused one', async () => {
    const sources = [active('a'), active('b', { state: 'paused' }), active('c')]
    const { runOnce, asked, noted } = await createHarness({ sources })
    await runOnce(1)
    expect(asked.sort()).toEqual(['a bounces', 'a complaints', 'c bounces', 'c complaints'])
    expect(noted.slice(0, 2)).toEqual(['run takes a', 'run takes c'])
    const told = ['a bounces told', 'a complaints told', 'c bounces told', 'c complaints told']
    expect(noted.slice(2).sort()).toEqual(told)
  })

  it('sends what it reads to the endpoints, and tells of it', async () => {
    const { runOnce, sent, happenings } = await createHarness({ sources: [active('a')], records: ['one'] })
    await runOnce(1)
    expect(sent.map(({ group }) => group)).toEqual(['endpoint', 'endpoint'])
    const enqueued = happenings.filter(({ kind }) => kind === 'enqueued')
    expect(enqueued.map(one => ('stream' in one ? one.stream : null)).sort()).toEqual([
      ...['bounces', 'complaints'],
    ])
  })

  it('sends nothing that a start at the latest record finds, logs it as seen, and tells nobody', async () => {
    const sources = [active('a', { startAt: { kind: 'latest' } })]
    const { runOnce, sent, happenings, log } = await createHarness({ sources, records: ['one'] })
    await runOnce(1)
    expect(sent).toEqual([])
    expect(happenings.filter(({ kind }) => kind === 'enqueued')).toEqual([])
    const logged = log.all().map(({ recordId, stream, endpointIds }) => [recordId, stream, ...endpointIds])
    expect(logged.sort()).toEqual([
      ['one', 'bounces'],
      ['one', 'complaints'],
    ])
  })

  it('tells of a fault of ours for both streams, and goes on with the other sources', async () => {
    const { runOnce, deps, asked, happenings } = await createHarness({ sources: [active('a'), active('c')] })
    const away = new BridgeError({ code: 'table_away', message: 'away', hint: 'Wait.' })
    const take: typeof deps.lease.take = async taken => {
      if (taken.sourceId === 'a') throw away
      return deps.lease.take(taken)
    }
    await runOnce(1, { lease: { ...deps.lease, take } })
    const fault = { kind: 'poll_fault', source: 'a', reason: 'table_away', hint: 'Wait.' }
    expect(happenings.filter(({ kind }) => kind === 'poll_fault')).toEqual([
      { ...fault, stream: 'bounces' },
      { ...fault, stream: 'complaints' },
    ])
    expect(asked.sort()).toEqual(['c bounces', 'c complaints'])
  })

  it('regression: tells of a source that can not be read, and polls the others', async () => {
    const { runOnce, sources, asked, happenings } = await createHarness({ sources: [active('a')] })
    const newer = new BridgeError({ code: 'item_newer', message: 'newer', hint: 'Deploy the newer version.' })
    const list: typeof sources.list = async onUnreadable => {
      onUnreadable?.('b', newer)
      return sources.list()
    }
    await runOnce(1, { sources: { ...sources, list } })
    const fault = { kind: 'poll_fault', source: 'b', reason: 'item_newer', hint: 'Deploy the newer version.' }
    expect(happenings.filter(({ kind }) => kind === 'poll_fault')).toEqual([
      { ...fault, stream: 'bounces' },
      { ...fault, stream: 'complaints' },
    ])
    expect(asked.sort()).toEqual(['a bounces', 'a complaints'])
  })

  it.each([
    [undefined, 3],
    [10, 3],
    [30, 2],
  ])('polls no more often than the deployment allows: at least %s s apart', async (least, polls) => {
    const sources = [active('a', { pollEverySeconds: 20 })]
    const over = least === undefined ? {} : { pollEverySecondsMin: least }
    const { runOnce, asked } = await createHarness({ sources, ...over })
    await runOnce(59_000)
    expect(asked.filter(one => one === 'a bounces')).toHaveLength(polls)
  })

  it('ends where it is told to', async () => {
    const { clock, begin, noted } = await createHarness({ sources: [active('a')] })
    const stop = new AbortController()
    const run = begin()('run', 600_000, stop.signal)
    await clock.turnTo(nowMs + 1_000)
    expect(noted).toEqual(['run takes a'])
    stop.abort()
    await clock.turnTo(nowMs + 1_000)
    expect(noted).toEqual(['run takes a', 'a bounces told', 'a complaints told'])
    await run
  })
})

describe('the runs of a process', () => {
  it('are one after the other: a new one ends the one before it, and begins when that has ended', async () => {
    const { clock, begin, noted } = await createHarness({ sources: [active('a')] })
    const run = begin()
    const first = run('first', 600_000)
    await clock.turnTo(nowMs + 1_000)
    const second = run('second', 10_000)
    await clock.turnTo(nowMs + 1_000)
    expect(noted).toEqual(['first takes a', 'a bounces told', 'a complaints told', 'second takes a'])
    await clock.turnTo(nowMs + 11_000)
    await Promise.all([first, second])
  })

  it('go on after one that could not read the sources', async () => {
    const { clock, sources, begin, noted } = await createHarness({ sources: [active('a')] })
    let isAway = true
    const list = async () => {
      if (isAway) throw new Error('the table is away')
      return sources.list()
    }
    const run = begin({ sources: { ...sources, list } })
    await expect(run('first', 1)).rejects.toThrow('the table is away')
    isAway = false
    const second = run('second', 1)
    await clock.turnTo(nowMs + 1)
    await second
    expect(noted[0]).toBe('second takes a')
  })

  it('share what they know of a source until its settings change', async () => {
    const { clock, sources, begin, opened } = await createHarness({ sources: [active('a'), active('c')] })
    const run = begin()
    const runToEnd = async (runId: string) => {
      const running = run(runId, 1)
      await clock.turnTo(clock.now() + 1)
      await running
    }
    await runToEnd('first')
    await runToEnd('second')
    expect(opened).toEqual(['a', 'c'])
    await sources.put(active('c', { overlapSeconds: 300 }))
    await runToEnd('third')
    expect(opened).toEqual(['a', 'c', 'c'])
  })
})
