import * as z from 'zod'
import { createEventPages } from '../../../shared/adapters/dynamodb/event-pages.ts'
import type { EventSummary } from '../../../shared/domain/polling/event-log.ts'
import { defineCommand } from '../command.ts'
import { type ExitCode, exitDone, exitInterrupted } from '../exit-codes.ts'
import { CommandError } from '../failures.ts'
import { optional } from '../input.ts'
import { createRowWriter } from '../output/row-writer.ts'
import { createSearching } from '../output/searching.ts'
import type { Session } from '../session.ts'
import type { OperatorBridge } from '../target/operator-bridge.ts'
import { timeValue } from '../values.ts'
import { eventRows, summaryJson } from './event-rows.ts'
import { type EventSelection, findSummaries, isSelected, streamsOf } from './find-events.ts'
import { createFollowing } from './following.ts'
import { limitFlags, rangeOf } from './inputs.ts'
import { selectionFlags } from './list.ts'

const passEveryMs = 1_000

export const tailEvents = defineCommand({
  name: 'tail',
  summary: 'Follow the events as they are read from the service and enqueued, until Ctrl-C',
  details: `Each is shown within a second or so; a record that the service shows late, within a minute or so. With --json, a JSON
object a line. A local bridge must be running.`,
  examples: [
    { line: 'bridge events tail' },
    { line: 'bridge events tail --types email.complaint --since 1h' },
    { line: 'bridge events tail --limit 10 --json --stack feedback-bridge', text: 'Ends after ten events.' },
  ],
  input: z.object({
    since: optional(timeValue, { value: 'TIME', text: 'show those since this time first' }),
    ...selectionFlags,
    limit: optional(limitFlags.limit.unwrap(), { value: 'N', text: 'end after N events' }),
  }),
  run: async (input, session) => {
    const range = rangeOf(input, session.clock.now())
    const bridge = await session.open()
    refuseIdle(bridge)
    const write = await eventWriter(bridge, input, session)
    const events = follow(
      { selection: input, range: input.since === undefined ? null : range },
      bridge,
      session,
    )
    let written = 0
    for await (const event of events) {
      if (session.signal.aborted) break
      write(event)
      written += 1
      if (written === input.limit) return exitDone
    }
    return endOf(session)
  },
})

/** Nothing would ever come; and while we have its folder no bridge could start. */
const refuseIdle = ({ target }: OperatorBridge): void => {
  if (target.kind === 'stack' || target.isRunning) return
  throw new CommandError({
    code: 'bridge_not_running',
    message: `no bridge is running in the folder ${target.dataDir}: nothing would come`,
    hint: `Start it with npm start -- --data ${target.dataDir}. What is in the log, bridge events list shows.`,
  })
}

const endOf = ({ signal }: Session): ExitCode => (signal.aborted ? exitInterrupted : exitDone)

const eventWriter = async (
  bridge: OperatorBridge,
  { source }: EventSelection,
  { io, json }: Session,
): Promise<(event: EventSummary) => void> => {
  if (json) return event => io.out(JSON.stringify(summaryJson(event)))
  const rows = await eventRows(bridge, { look: io.look, source })
  const table = createRowWriter(io.look, rows.columns)
  io.out(table.head)
  return event => io.out(table.row(rows.row(event)))
}

async function* follow(
  { selection, range }: { selection: EventSelection; range: ReturnType<typeof rangeOf> | null },
  bridge: OperatorBridge,
  session: Session,
): AsyncGenerator<EventSummary> {
  const { clock, signal, io } = session
  const following = createFollowing({
    streams: () => streamsOf(bridge, selection),
    marks: bridge.marks,
    pages: createEventPages(bridge.table),
    clock,
  })
  await following.pass()
  io.note('Following; Ctrl-C ends it.')
  if (range !== null) {
    const searching = createSearching(session, 'events')
    const past = findSummaries({ selection, range, order: 'oldest' }, { bridge, session, searching })
    for await (const event of past) {
      following.know(event)
      searching.end()
      yield event
    }
    searching.end()
  }
  while (!signal.aborted) {
    for (const event of await following.pass()) if (isSelected(event, selection)) yield event
    await clock.sleep(passEveryMs, signal)
  }
}
