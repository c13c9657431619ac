import { randomUUID } from 'node:crypto'
import type { Delivery } from '../../../shared/domain/delivery/delivery.ts'
import { beginNextRound } from '../../../shared/domain/replay/next-round.ts'
import { createPace } from '../../../shared/domain/replay/pace.ts'
import { exitNotConfirmed, isConfirmed } from '../asking.ts'
import type { SecondRange } from '../events/in-order.ts'
import { type ExitCode, exitDone, exitInterrupted } from '../exit-codes.ts'
import { showMoment } from '../output/moments.ts'
import { createSearching } from '../output/searching.ts'
import { counted } from '../output/texts.ts'
import { type Session, show } from '../session.ts'
import type { OperatorBridge } from '../target/operator-bridge.ts'
import { type DeliverySelection, endpointsOf, findDeliveries } from './find-deliveries.ts'
import { type WhyLeft, whyLeft } from './retry-rules.ts'

const writesAtOnce = 25

type ToRetry = { selection: DeliverySelection; range: SecondRange; ratePerSecond: number; isDryRun: boolean }

type Counts = {
  set: number
  left: Record<WhyLeft | 'movedOn', number>
  /** When the last of them is due; null where none is. */
  lastDueMs: number | null
  complete: boolean
}

/**
 * Sets all deliveries that are asked for to waiting in their next round, oldest event first, due at the rate. What is set is not
 * set again, so that the same command goes on after an interruption.
 */
export const retryMany = async (of: ToRetry, session: Session): Promise<ExitCode> => {
  const bridge = await session.open()
  const known = {
    bridge,
    endpointIds: await endpointsOf(bridge, of.selection),
    removed: await removedOf(bridge),
  }
  if (!of.isDryRun && !session.yes) {
    const planned = await goThrough({ ...of, isDryRun: true }, known, session)
    if (!planned.complete) return tell({ ...of, isDryRun: true }, planned, session)
    const question = `Set ${countText(planned.set)} to waiting for another round?`
    if (planned.set > 0 && !(await isConfirmed(session, question))) return exitNotConfirmed
  }
  return tell(of, await goThrough(of, known, session), session)
}

const countText = (count: number): string => counted(count, 'delivery', 'deliveries')

const removedOf = async ({ endpoints }: OperatorBridge): Promise<ReadonlySet<string>> =>
  new Set((await endpoints.list()).filter(({ state }) => state === 'removed').map(({ id }) => id))

type Known = { bridge: OperatorBridge; endpointIds: readonly string[]; removed: ReadonlySet<string> }

const goThrough = async (of: ToRetry, known: Known, session: Session): Promise<Counts> => {
  const { clock, signal } = session
  const searching = createSearching(session, of.isDryRun ? 'deliveries' : 'deliveries, setting them')
  const pace = createPace({ fromMs: clock.now(), ratePerSecond: of.ratePerSecond })
  const deps = { store: known.bridge.store, clock, newId: randomUUID }
  const counts: Counts = {
    set: 0,
    left: { held: 0, setBefore: 0, expired: 0, forgotten: 0, endpointRemoved: 0, movedOn: 0 },
    lastDueMs: null,
    complete: false,
  }
  const begin = async (delivery: Delivery): Promise<void> => {
    const dueMs = pace.take()
    const how = { dueMs, reason: 'replayed_by_operator' } as const
    const result = of.isDryRun ? 'begun' : await beginNextRound(delivery, how, deps)
    if (result === 'begun') counts.set += 1
    else counts.left.movedOn += 1
  }
  const found = findDeliveries({ ...of, order: 'oldest' }, { ...known, session, searching })
  let ready: Delivery[] = []
  const beginAll = async (): Promise<void> => {
    await Promise.all(ready.map(begin))
    ready = []
  }
  try {
    for await (const delivery of found) {
      if (signal.aborted) break
      const why = whyLeft(delivery, { isRemoved: known.removed.has(delivery.endpointId), nowMs: clock.now() })
      if (why === null) ready.push(delivery)
      else counts.left[why] += 1
      if (ready.length === writesAtOnce) await beginAll()
    }
    if (!signal.aborted) await beginAll()
  } catch (error) {
    // The search leaves off by throwing; what was set until then is told.
    if (!signal.aborted) throw error
  } finally {
    searching.end()
  }
  return { ...counts, lastDueMs: pace.lastMs(), complete: !signal.aborted }
}

const leftTexts = {
  held: 'held: they go out when their endpoint is ready',
  setBefore: 'set before, and on their way',
  expired: 'of events that are past their life',
  forgotten: 'forgotten: there is nothing to send any more',
  endpointRemoved: 'of endpoints that were removed',
  movedOn: 'moved on in this moment: run it again for them',
} as const satisfies Record<keyof Counts['left'], string>

const tell = ({ isDryRun }: ToRetry, counts: Counts, session: Session): ExitCode => {
  const { set, left, lastDueMs, complete } = counts
  show(session, {
    json: () => ({
      dryRun: isDryRun,
      set,
      left,
      lastDueAt: lastDueMs === null ? null : new Date(lastDueMs).toISOString(),
      complete,
    }),
    text: ({ colors }) => {
      const what = isDryRun ? 'Would be set to waiting' : colors.green('Set to waiting')
      const until = lastDueMs === null ? '' : `; the last is due ${showMoment(lastDueMs)}`
      const others = Object.entries(leftTexts).flatMap(([name, text]) => {
        const count = Object.entries(left).find(([why]) => why === name)?.[1] ?? 0
        return count === 0 ? [] : [`Left: ${count.toLocaleString('en-US')} ${text}.`]
      })
      return [`${what}: ${countText(set)}${until}.`, ...others].join('\n')
    },
  })
  if (complete) return exitDone
  session.io.note(
    isDryRun ? 'Interrupted: nothing was done.' : 'Interrupted: run the same command again, and it goes on.',
  )
  return exitInterrupted
}
