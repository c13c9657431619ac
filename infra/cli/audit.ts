import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { createRunSpending } from '../../shared/adapters/dynamodb/run-spending.ts'
import { createAuditGate } from '../../shared/domain/audit/audit-gate.ts'
import { auditStream, settleSecondsOf } from '../../shared/domain/audit/audit-stream.ts'
import { logMemoryDays } from '../../shared/domain/polling/event-log.ts'
import { type Source, streamNames } from '../../shared/domain/source.ts'
import { daySeconds } from '../../shared/domain/time-units.ts'
import { type AuditView, auditJson, isAmiss } from './audit/audit-view.ts'
import { openSource } from './audit/open-source.ts'
import { createAuditProgress } from './audit/progress.ts'
import { renderAudit } from './audit/render.ts'
import { defineCommand } from './command.ts'
import { exitDone, exitFailed, exitInterrupted } from './exit-codes.ts'
import { RefusedError, UsageError } from './failures.ts'
import { needed, optional, toggle } from './input.ts'
import { type Session, show } from './session.ts'
import { findSource } from './source/find-source.ts'
import type { OperatorBridge } from './target/operator-bridge.ts'
import { type AskedTime, checked, idValue, momentOf, timeValue } from './values.ts'

const shareDefault = 0.25
const shareError = 'must be a share of the budget, over 0 and at most 1, as 0.25'

const shareValue = checked<number>(text => {
  const share = /^[01](\.\d{1,3})?$/.test(text) ? Number(text) : 0
  return share > 0 && share <= 1 ? { value: share } : { problem: shareError }
})

export const auditCommand = defineCommand({
  name: 'audit',
  summary: 'Prove that nothing was lost: compare the service, the event log and the deliveries',
  details: `Walks the lists of the service over a range of time, by the service's times, and compares them with the event log by
event id; then the events with the deliveries of every endpoint that they matched. Records before the floor, and in
quarantine, are told apart; so are those that the poller has not come to yet. The newest few minutes are left out, since
the poller may be reading them. A record that became visible late is missing until a sweep finds it.

It spends --share of the budget (80 % of the limit) of each source at the most, and with the poller no more than the whole:
at 60 requests a minute and 100 records a page, a quarter reads 1,200 records a minute. It moves no cursor. --repair
enqueues what is missing as the poller does, so that nothing is sent twice. The exit code is 1 where something is missing
still, or could not be compared. Interrupted, it says nothing; run it again.`,
  examples: [
    { line: 'bridge audit --since 24h' },
    { line: 'bridge audit --since 2026-01-30 --until 2026-01-31 --source main --json' },
    { line: 'bridge audit --since 7d --share 0.5 --repair --stack feedback-bridge' },
  ],
  input: z.object({
    since: needed(timeValue, { value: 'TIME', text: 'a time with its zone, a day, or how long ago, as 24h' }),
    until: optional(timeValue, { value: 'TIME', text: 'up to this time (default: minutes ago)' }),
    source: optional(idValue, { value: 'ID', text: 'this source alone' }),
    share: optional(shareValue, {
      value: 'SHARE',
      text: `of the request budget, over 0 and at most 1 (default ${shareDefault})`,
    }),
    repair: toggle('enqueue what is missing'),
  }),
  run: async (input, session) => {
    const range = rangeOf(input, session.clock.now())
    const bridge = await session.open()
    const sources =
      input.source === undefined ? await bridge.sources.list() : [await findSource(bridge, input.source)]
    refuseEmpty(sources, range, session.clock.now())
    const progress = createAuditProgress(session)
    const views: AuditView[] = []
    for (const source of sources) {
      const of = { source, range, share: input.share ?? shareDefault, isRepair: input.repair === true }
      const ofSource = await auditSource(of, { bridge, session, progress })
      if (ofSource === null) {
        progress.end()
        session.io.note(`Interrupted${input.repair ? '; what was enqueued stays so' : ''}. Run it again.`)
        return exitInterrupted
      }
      views.push(...ofSource)
    }
    progress.end()
    show(session, {
      json: () => ({ matches: !views.some(isAmiss), streams: views.map(auditJson) }),
      text: look => renderAudit(look, views),
    })
    return views.some(isAmiss) ? exitFailed : exitDone
  },
})

type SecondRange = { fromSecond: number; toSecond: number }

const rangeOf = (
  { since, until }: { since: AskedTime; until?: AskedTime | undefined },
  nowMs: number,
): SecondRange => {
  const fromSecond = Math.floor(momentOf(since, nowMs) / 1_000)
  const toSecond = Math.floor((until === undefined ? nowMs : momentOf(until, nowMs)) / 1_000)
  if (fromSecond * 1_000 > nowMs) throw new UsageError(['--since: must be a time in the past'])
  if (fromSecond > toSecond) throw new UsageError(['--since: must be before --until'])
  if (nowMs / 1_000 - fromSecond <= logMemoryDays * daySeconds) return { fromSecond, toSecond }
  throw new RefusedError({
    code: 'beyond_memory',
    message: `the event log remembers ${logMemoryDays} days: of older records nobody knows whether they were sent`,
    hint: `Give a time within the last ${logMemoryDays} days; the service keeps records for 30.`,
  })
}

const refuseEmpty = (sources: readonly Source[], { fromSecond }: SecondRange, nowMs: number): void => {
  const newestSecond = Math.floor(nowMs / 1_000)
  const early = sources.find(source => fromSecond > newestSecond - settleSecondsOf(source))
  if (early === undefined) return
  throw new UsageError([
    `--since: must be over ${settleSecondsOf(early)} s ago: of ${early.id}, what is newer may still be on its way`,
  ])
}

type AuditSource = { source: Source; range: SecondRange; share: number; isRepair: boolean }

/** Both streams of a source, one after the other, with one budget; null where it was interrupted. */
const auditSource = async (
  { source, range, share, isRepair }: AuditSource,
  of: { bridge: OperatorBridge; session: Session; progress: ReturnType<typeof createAuditProgress> },
): Promise<AuditView[] | null> => {
  const { bridge, session } = of
  const { clock, signal } = session
  const api = openSource(bridge, source, () => clock.now())
  try {
    const gate = createAuditGate(
      { sourceId: source.id, requestsPerMinute: source.requestsPerMinute, share },
      { api, spending: createRunSpending(bridge.table), clock, signal },
    )
    const deps = { ...bridge, reporter: { report: () => undefined }, clock, signal, newId: randomUUID }
    const views: AuditView[] = []
    for (const stream of streamNames) {
      const before = gate.requests()
      const name = `${source.id} ${stream}`
      const onProgress: Parameters<typeof auditStream>[0]['onProgress'] = at =>
        of.progress.at({ name, ...at, requests: gate.requests() - before })
      const audit = await auditStream({ source, stream, ...range, isRepair, gate, onProgress }, deps)
      if (audit === null) return null
      views.push({ source, stream, requests: gate.requests() - before, audit })
    }
    return views
  } finally {
    await api.close()
  }
}
