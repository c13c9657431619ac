import * as z from 'zod'
import {
  createQuarantinePages,
  type QuarantineHead,
  type QuarantinePages,
} from '../../../shared/adapters/dynamodb/quarantine-pages.ts'
import { forgottenRecordReason } from '../../../shared/domain/polling/quarantine.ts'
import {
  createRetryQuarantined,
  type RetryResult,
  readQuarantined,
} from '../../../shared/domain/polling/retry-quarantined.ts'
import type { StreamName } from '../../../shared/domain/source.ts'
import { defineCommand } from '../command.ts'
import { type ExitCode, exitDone, exitFailed, exitInterrupted } from '../exit-codes.ts'
import { toggle } from '../input.ts'
import { createSearching } from '../output/searching.ts'
import { counted } from '../output/texts.ts'
import { type Session, show } from '../session.ts'
import { findSource } from '../source/find-source.ts'
import type { OperatorBridge } from '../target/operator-bridge.ts'
import { type FindDeps, findRecord, findRecords, notForgotten, type Selection } from './find-records.ts'
import { isOneOrAll, oneOrAllError, oneOrAllInput, selectionOf } from './inputs.ts'
import { type RetryTally, renderTally, tallyJson } from './retry-tally.ts'
import { readWhole } from './show.ts'

const input = z
  .object({ ...oneOrAllInput, 'dry-run': toggle('send nothing, and say how many could be read today') })
  .refine(isOneOrAll, oneOrAllError)

export const retryQuarantined = defineCommand({
  name: 'retry',
  summary: 'Read quarantined records again with today’s code, and send what can be read',
  details:
    'They go the way of the poller: to the queue, then to the event log; then they leave the quarantine. What still can’t\n' +
    'be read stays, and so does a record of before the floor of its stream. However old it is, it is sent. An interruption\n' +
    'loses nothing: the same command goes on. The exit code is 1 where anything stays.',
  examples: [
    { line: 'bridge quarantine retry 0a1b2c3d4e5f6071' },
    { line: 'bridge quarantine retry --all --source main --reason no_usable_time --dry-run' },
  ],
  input,
  run: async (given, session) => {
    const selection = { ...selectionOf(given, session.clock.now()), hashPrefix: given.hash ?? '' }
    const bridge = await session.open()
    const searching = createSearching(session, 'records')
    const pages = createQuarantinePages(bridge.table)
    const deps = { bridge, pages }
    const isDryRun = given['dry-run'] === true
    const tally: RetryTally = { isDryRun, records: 0, sent: 0, known: 0, kept: new Map(), eventId: null }
    const retry = isDryRun ? dryRun(bridge) : createRetrying(bridge, pages, session)
    for await (const head of chosen(selection, deps)) {
      if (session.signal.aborted) break
      count(tally, await retry(head))
      searching.looked(1)
    }
    searching.end()
    if (given.hash === undefined) tally.eventId = null
    show(session, { json: () => tallyJson(tally), text: look => renderTally(look, tally) })
    return exitOf(tally, session)
  },
})

async function* chosen(selection: Selection, deps: FindDeps): AsyncGenerator<QuarantineHead> {
  if (selection.hashPrefix === '') yield* notForgotten(findRecords(selection, deps))
  else yield await findRecord(selection, deps)
}

const exitOf = ({ isDryRun, records, kept }: RetryTally, { io, signal }: Session): ExitCode => {
  if (signal.aborted) {
    io.note(`Interrupted after ${counted(records, 'record')}; the same command goes on.`)
    return exitInterrupted
  }
  return kept.size > 0 && !isDryRun ? exitFailed : exitDone
}

const count = (tally: RetryTally, result: RetryResult): void => {
  tally.records += 1
  if (result.kind === 'enqueued' || result.kind === 'known') {
    tally[result.kind === 'known' ? 'known' : 'sent'] += 1
    tally.eventId = result.eventId
    return
  }
  const reason = 'reason' in result ? result.reason : result.kind
  tally.kept.set(reason, (tally.kept.get(reason) ?? 0) + 1)
}

type Retry = (head: QuarantineHead) => Promise<RetryResult>

const dryRun =
  (bridge: OperatorBridge): Retry =>
  async head => {
    const read = readQuarantined(await readWhole(bridge, head))
    return read.kind === 'unreadable'
      ? { kind: 'unreadable', reason: read.reason }
      : { kind: 'enqueued', eventId: '' }
  }

const createRetrying = (bridge: OperatorBridge, pages: QuarantinePages, { clock }: Session): Retry => {
  const { cursors, log, marks, queue } = bridge
  const endpoints = () => bridge.endpoints.list()
  const reporter = { report: () => undefined }
  const streams = new Map<string, ReturnType<typeof createRetryQuarantined>>()
  const retryOf = async (of: { sourceId: string; stream: StreamName }) => {
    const name = `${of.sourceId}#${of.stream}`
    const made = streams.get(name)
    if (made !== undefined) return made
    // Reconcile goes by the sources that there are: of another one, a message that gets lost would never be missed.
    await findSource(bridge, of.sourceId)
    const retry = createRetryQuarantined({ cursors, log, marks, queue, endpoints, reporter, clock }, of)
    streams.set(name, retry)
    return retry
  }
  return async head => {
    const { sourceId, stream } = head
    if (head.reason === forgottenRecordReason) return { kind: 'unreadable', reason: head.reason }
    const retry = await retryOf({ sourceId, stream })
    const result = await retry(await readWhole(bridge, head))
    if (result.kind === 'enqueued' || result.kind === 'known') await pages.remove(head)
    return result
  }
}
