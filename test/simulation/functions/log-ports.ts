import type { DeliveryKey } from '../../../shared/domain/delivery/delivery.ts'
import type { EventLog } from '../../../shared/domain/polling/event-log.ts'
import { tableFailed } from '../engine/call.ts'
import type { LogRead, Process } from '../engine/process.ts'
import { createPort, noteFault } from './ports.ts'
import { staleMsMax } from './stale-views.ts'
import type { World } from './world.ts'

/** A page is looked up by a few stretches, and several streams at once. */
const logReadsKept = 60

const keysOf = (event: { id: string; endpointIds: readonly string[] }): DeliveryKey[] =>
  event.endpointIds.map(endpointId => ({ endpointId, eventId: event.id }))

/** The log as a process reads and writes it; what it looked up there is noted, as far as the answer was true. */
export const eventLogOf = (world: World, process: Process): EventLog => {
  const { table, scheduler } = world
  const port = createPort(world, process)
  const { log } = table

  const noteRead = (
    of: { sourceId: string; stream: string },
    isMeant: (id: string) => boolean,
    isShown: (id: string) => boolean,
  ): void => {
    const covers: LogRead['covers'] = ({ id, sourceId, stream }) =>
      sourceId === of.sourceId && stream === of.stream && isMeant(id)
    process.logReads.push({ step: scheduler.steps, covers, isShown })
    if (process.logReads.length > logReadsKept) process.logReads.shift()
  }
  const shownNow = (staleWillDo = false): ((id: string) => boolean) => {
    if (!staleWillDo || !scheduler.strikes('stale')) return () => true
    const sinceMs = scheduler.now() - scheduler.dice.int(0, staleMsMax)
    const hidden = new Set(
      [...world.ledger.recordedAtMs].filter(([, atMs]) => atMs > sinceMs).map(([id]) => id),
    )
    return id => !hidden.has(id)
  }

  return {
    idsInRange: port.read('idsInRange', async query => {
      const isShown = shownNow(query.staleWillDo)
      noteRead(query, id => id >= query.firstId && id <= query.lastId, isShown)
      return (await log.idsInRange(query)).filter(isShown)
    }),
    existing: port.read('existing', async query => {
      const isShown = shownNow(query.staleWillDo)
      noteRead(query, id => query.ids.includes(id), isShown)
      return new Set([...(await log.existing(query))].filter(isShown))
    }),
    record: port.write(
      'record',
      async events => {
        if (!scheduler.strikes('part_failed')) return log.record(events)
        const some = events.filter(() => scheduler.dice.chance(0.5))
        for (const event of events) noteFault(world, 'part_failed', keysOf(event))
        if (some.length === 0) throw tableFailed()
        return log.record(some)
      },
      { about: events => events.flatMap(keysOf) },
    ),
    read: port.read('log.read', log.read),
    newestOfDay: port.read('newestOfDay', log.newestOfDay),
    pageOfDay: port.read('pageOfDay', log.pageOfDay),
  }
}
