import { mapBounded } from '../../../shared/adapters/bounded.ts'
import { createLastRuns } from '../../../shared/adapters/dynamodb/last-runs.ts'
import type { Endpoint } from '../../../shared/domain/endpoint/endpoint.ts'
import { type Source, streamNames } from '../../../shared/domain/source.ts'
import { hourMs, minuteMs } from '../../../shared/domain/time-units.ts'
import { showAge } from '../output/moments.ts'
import { counted } from '../output/texts.ts'
import { runMissedAfterMs } from '../status/stream-standing.ts'
import type { OperatorBridge } from '../target/operator-bridge.ts'
import { type Check, type CheckContext, type Found, failed, ok, warning } from './check.ts'

/** The releaser looks every minute; what is overdue for longer nobody looked at. */
const overdueAfterMs = 5 * minuteMs
/** Reconcile runs every hour, and compares what is older than an hour: nothing should stand for longer. */
const uncomparedAfterMs = 5 * hourMs
const endpointsAtOnce = 4

/** The poller, the releaser and reconcile run, as what they leave in the table tells. */
export const schedulesCheck: Check = {
  name: 'schedules',
  run: async context => {
    const { target } = context.bridge
    if (target.kind === 'local' && !target.isRunning) {
      const text = 'no bridge runs on this folder: nothing is polled or delivered'
      return [failed('', text, `Start it: npm start -- --data ${target.dataDir}.`)]
    }
    return [
      ...(await Promise.all(context.sources.map(source => checkPoller(source, context)))),
      await checkReleaser(context),
      ...(await Promise.all(context.sources.map(source => checkReconcile(source, context)))),
    ]
  },
}

const checkPoller = async ({ id }: Source, { bridge, clock }: CheckContext): Promise<Found> => {
  const run = await createLastRuns(bridge.table).read(id)
  const of = `poller, ${id}`
  const mend = `${whereToLook(bridge, 'PollerName')} A source that was added within the last minute waits for its first run.`
  if (run === null) return failed(of, 'was never polled', mend)
  const nowMs = clock.now()
  const text = `the last run began ${showAge(run.takenAtMs, nowMs)}`
  return nowMs - run.takenAtMs > runMissedAfterMs ? failed(of, text, mend) : ok(of, text)
}

const checkReleaser = async ({ bridge, clock, endpoints }: CheckContext): Promise<Found> => {
  const untilMs = clock.now() - overdueAfterMs
  const dueMs = async ({ id }: Endpoint): Promise<number[]> => {
    const entries = await bridge.store.due({ endpointId: id, state: 'waiting', untilMs, limit: 1 })
    return entries.map(entry => entry.dueMs)
  }
  const overdue = (await mapBounded(endpoints, endpointsAtOnce, dueMs)).filter(({ length }) => length > 0)
  if (overdue.length === 0) return ok('releaser', 'nothing that waits is overdue')
  const oldest = showAge(Math.min(...overdue.flat()), clock.now())
  const text = `${counted(overdue.length, 'endpoint')} with overdue deliveries, the oldest due ${oldest}`
  return failed(
    'releaser',
    text,
    `${whereToLook(bridge, 'ReleaserName')} After an outage it may still be catching up.`,
  )
}

const checkReconcile = async ({ id }: Source, { bridge, clock }: CheckContext): Promise<Found> => {
  const of = `reconcile, ${id}`
  const oldest = streamNames.map(async stream => {
    const [mark] = await bridge.marks.list({ sourceId: id, stream, fromHour: 0, limit: 1 })
    return mark === undefined ? [] : [mark.hour * hourMs]
  })
  const marks = (await Promise.all(oldest)).flat()
  const oldestMs = Math.min(...marks)
  if (clock.now() - oldestMs <= uncomparedAfterMs || marks.length === 0) {
    return ok(of, 'what was read has been compared with its deliveries')
  }
  const text = `what was read ${showAge(oldestMs, clock.now())} has not been compared with its deliveries`
  return warning(of, text, whereToLook(bridge, 'ReleaserName'))
}

const whereToLook = ({ target }: OperatorBridge, name: 'PollerName' | 'ReleaserName'): string =>
  target.kind === 'stack'
    ? `Look at the log of the function ${target.stack[name]} and at the schedules of ${target.stack.ScheduleGroup}.`
    : 'Look at what npm start says.'
