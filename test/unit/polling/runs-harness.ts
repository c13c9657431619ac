import { createMemoryCursorStore } from '../../../shared/adapters/memory/cursor-store.ts'
import { createMemoryRunLease } from '../../../shared/adapters/memory/run-lease.ts'
import type { Happening } from '../../../shared/domain/happenings.ts'
import type { Page } from '../../../shared/domain/polling/feedback-api.ts'
import type { RequestGate } from '../../../shared/domain/polling/request-gate.ts'
import type { RunLease } from '../../../shared/domain/polling/run-lease.ts'
import { newPolledSource, runSource } from '../../../shared/domain/polling/source-run.ts'
import type { WalkEnd } from '../../../shared/domain/polling/walk.ts'
import { type Source, type StreamName, sourceDefaults, streamNames } from '../../../shared/domain/source.ts'
import { createVirtualClock } from './world/virtual-clock.ts'

export const runMs = 150_000
export const complete = { kind: 'complete' } as const satisfies WalkEnd
export const failed = { kind: 'failed', reason: 'x', error: null } as const satisfies WalkEnd

const emptyPage: Page = { records: [], next: null, bytes: 0, serverDateMs: null, rateLimit: null }

/** Asks for so many pages of news, as a poll does. */
export const spend = async (gate: RequestGate, stream: StreamName, requests: number): Promise<void> => {
  const request = { stream, order: 'asc', lastId: null, nextQuery: null } as const
  for (let asked = 0; asked < requests; asked += 1)
    await gate.fetch(request, { kind: 'news', backlog: false })
}

type Polls = {
  end: WalkEnd
  /** What a poll does; the `nth` of its stream, from 0. */
  poll: (stream: StreamName, nth: number, gate: RequestGate) => Promise<WalkEnd>
}

/** Runs over one source whose polls end as they are told to; its service has empty pages. */
export const createRuns = (of: { pollEverySeconds: number; end?: WalkEnd; requestsPerMinute?: number }) => {
  const clock = createVirtualClock(Date.UTC(2026, 10, 20, 9, 30))
  const startMs = clock.now()
  const atSecond = () => (clock.now() - startMs) / 1_000
  const pass = (ms: number) => clock.turnTo(clock.now() + ms)
  const happenings: Happening[] = []
  const table = createMemoryRunLease()
  /** What was asked of the lease, but for its taking. */
  const looks: { atSecond: number; look: 'holds' | 'renews'; runId: string; spending?: unknown }[] = []
  const lease: RunLease = {
    take: table.take,
    holds: ({ runId, ...key }) => {
      looks.push({ atSecond: atSecond(), look: 'holds', runId })
      return table.holds({ runId, ...key })
    },
    renew: ({ runId, spending, ...key }) => {
      looks.push({ atSecond: atSecond(), look: 'renews', runId, spending })
      return table.renew({ runId, spending, ...key })
    },
  }
  const deps = {
    ...{ clock, lease },
    cursors: createMemoryCursorStore(),
    reporter: { report: (happening: Happening) => void happenings.push(happening) },
  }
  const source: Source = {
    ...{ ...sourceDefaults, id: 'main', baseUrl: 'https://service.example', tokenSecret: 'token-main' },
    pollEverySeconds: of.pollEverySeconds,
    requestsPerMinute: of.requestsPerMinute ?? sourceDefaults.requestsPerMinute,
  }
  const polls: { stream: string; atSecond: number }[] = []
  const state: Polls = { end: of.end ?? complete, poll: async () => state.end }
  const pollsOf = (stream: string) => polls.filter(one => one.stream === stream).map(one => one.atSecond)
  const pollerOf = (stream: StreamName) => ({
    poll: async (gate: RequestGate) => {
      const nth = pollsOf(stream).length
      polls.push({ stream, atSecond: atSecond() })
      return state.poll(stream, nth, gate)
    },
  })
  const newProcess = () =>
    newPolledSource(
      source,
      { listPage: async () => emptyPage },
      new Map(streamNames.map(stream => [stream, pollerOf(stream)])),
    )
  let runs = 0
  /** Says when the run had ended, in seconds since the start. */
  const run = async (
    polled: ReturnType<typeof newProcess>,
    over: { nextRunInMs?: number; lastsMs?: number; signal?: AbortSignal } = {},
  ): Promise<number> => {
    const nowMs = clock.now()
    const next = over.nextRunInMs === undefined ? {} : { nextRunAtMs: nowMs + over.nextRunInMs }
    const running = runSource(deps, polled, {
      runId: `run-${++runs}`,
      endsAtMs: nowMs + (over.lastsMs ?? runMs),
      ...next,
      signal: over.signal ?? new AbortController().signal,
    })
    let endedAtMs: number | null = null
    const ended = running.then(() => {
      endedAtMs = clock.now()
    })
    await pass(0)
    while (endedAtMs === null) await pass(1_000)
    await ended
    return (endedAtMs - startMs) / 1_000
  }
  const states = () =>
    happenings.flatMap(one =>
      one.kind === 'stream_state' ? [[one.stream, one.sinceCompleteWalkSeconds, one.everComplete]] : [],
    )
  return { clock, pass, deps, state, happenings, looks, table, newProcess, run, pollsOf, states }
}
