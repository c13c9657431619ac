import { randomUUID } from 'node:crypto'
import { createReplayPlans } from '../../../shared/adapters/dynamodb/replay-plans.ts'
import type { Endpoint } from '../../../shared/domain/endpoint/endpoint.ts'
import { eventSecond } from '../../../shared/domain/feedback/event-id.ts'
import type { EventSummary } from '../../../shared/domain/polling/event-log.ts'
import { type Recovered, recover } from '../../../shared/domain/replay/recover.ts'
import type { Only } from '../../../shared/domain/replay/recover-rules.ts'
import type { ReplayPlan } from '../../../shared/domain/replay/replay-plan.ts'
import type { StreamName } from '../../../shared/domain/source.ts'
import { findSummaries, streamsOf } from '../events/find-events.ts'
import { createProgress } from '../output/progress.ts'
import type { Session } from '../session.ts'
import type { OperatorBridge } from '../target/operator-bridge.ts'

export type RecoverWork = {
  endpoint: Endpoint
  only: Only
  plan: ReplayPlan
  ratePerSecond: number
  source: string | undefined
  stream: StreamName | undefined
  isDryRun: boolean
}

type With = { bridge: OperatorBridge; session: Session }

/** Recovers, or counts what would be, with progress by the time that was gone through. */
export const runRecover = async (work: RecoverWork, { bridge, session }: With): Promise<Recovered> => {
  const { plan, isDryRun } = work
  const progress = createProgress(session)
  const fromSecond = plan.placeId === null ? plan.fromSecond : eventSecond(plan.placeId)
  const toSecond = Math.min(plan.toSecond, Math.floor(session.clock.now() / 1_000))
  const shareOf = (eventId: string): number =>
    (eventSecond(eventId) - fromSecond) / Math.max(1, toSecond - fromSecond)
  const result = await recover(
    {
      ...work,
      events: eventsOf(work, { bridge, session }),
      floorSecondOf: await readFloors(work, bridge),
      signal: session.signal,
      onProgress: ({ set, eventId }) =>
        progress.at(shareOf(eventId), `${set.toLocaleString('en-US')} ${isDryRun ? 'counted' : 'set'} …`),
    },
    {
      log: bridge.log,
      store: bridge.store,
      plans: createReplayPlans(bridge.table),
      clock: session.clock,
      newId: randomUUID,
    },
  )
  progress.end()
  return result
}

/** In the order of their ids, from where an interrupted recover ended. */
async function* eventsOf(
  { plan, source, stream }: RecoverWork,
  { bridge, session }: With,
): AsyncGenerator<EventSummary> {
  const { placeId, toSecond } = plan
  const range = { fromSecond: placeId === null ? plan.fromSecond : eventSecond(placeId), toSecond }
  const quiet = { looked: () => undefined, out: () => undefined, end: () => undefined }
  // Ctrl-C ends it between two steps, which keep their place; here it would be an error.
  const calm = { ...session, signal: new AbortController().signal }
  const events = findSummaries(
    { selection: { source, stream }, range, order: 'oldest' },
    { bridge, session: calm, searching: quiet },
  )
  for await (const event of events) {
    if (session.signal.aborted) return
    if (placeId === null || event.id > placeId) yield event
  }
}

const readFloors = async (
  { source, stream }: RecoverWork,
  bridge: OperatorBridge,
): Promise<(event: EventSummary) => number | null> => {
  const floors = new Map<string, number | null>()
  for (const each of await streamsOf(bridge, { source, stream })) {
    const found = await bridge.cursors.read({ ...each, name: 'main' })
    floors.set(`${each.sourceId} ${each.stream}`, found?.cursor.floorSecond ?? null)
  }
  return event => floors.get(`${event.sourceId} ${event.stream}`) ?? null
}
