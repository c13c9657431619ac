import type { Delivery } from '../../../shared/domain/delivery/delivery.ts'
import type { Endpoint } from '../../../shared/domain/endpoint/endpoint.ts'
import { eventDay } from '../../../shared/domain/feedback/event-id.ts'
import type { EventSummary } from '../../../shared/domain/polling/event-log.ts'
import { replayDead } from '../../../shared/domain/replay/change-dead.ts'
import { recover } from '../../../shared/domain/replay/recover.ts'
import type { Only } from '../../../shared/domain/replay/recover-rules.ts'
import { openPlan } from '../../../shared/domain/replay/replay-plan.ts'
import { streamNames } from '../../../shared/domain/source.ts'
import { dayMs } from '../../../shared/domain/time-units.ts'
import type { Process } from '../engine/process.ts'
import type { OperatorTarget } from '../plan/plan.ts'
import type { commonDeps } from './compose.ts'
import { createPort } from './ports.ts'
import type { World } from './world.ts'

/** One of the endpoints, in the way that a person picks one: whatever its state. */
export const pickEndpoint = async ({ world, deps, target }: At): Promise<Endpoint | null> => {
  const { dice } = world.scheduler
  const endpoints = await deps.endpoints.list()
  if (target.endpointId !== undefined) return endpoints.find(({ id }) => id === target.endpointId) ?? null
  const [first, ...others] = endpoints
  return first === undefined ? null : dice.pick([first, ...others])
}

export const never = new AbortController().signal
const ratePerSecond = 5

export type At = {
  world: World
  process: Process
  deps: ReturnType<typeof commonDeps>
  target: OperatorTarget
}

/** Dead letters of all endpoints, or of one, a page at a time. */
export async function* deadPages(
  { world, deps }: At,
  endpointIds: readonly string[],
): AsyncGenerator<Delivery[]> {
  const untilMs = world.scheduler.now() + 400 * dayMs
  for (const endpointId of endpointIds) {
    const entries = await deps.store.due({ endpointId, state: 'dead', untilMs, limit: 100 })
    const pageMax = 7
    for (let from = 0; from < entries.length; from += pageMax) {
      const some = entries.slice(from, from + pageMax)
      const read = await deps.store.readMany(some.map(({ eventId }) => ({ endpointId, eventId })))
      yield read.filter(({ state }) => state === 'dead')
    }
  }
}

export const replay = async (at: At): Promise<void> => {
  const { world, deps, process } = at
  const endpoints = await deps.endpoints.list()
  const plans = plansOf(world, process)
  const range = { fromSecond: 0, toSecond: Number.MAX_SAFE_INTEGER }
  const nowMs = deps.clock.now()
  const { plan } = await openPlan({ name: 'replay', range, nowMs, anew: false }, plans)
  const pages = deadPages(
    at,
    endpoints.map(({ id }) => id),
  )
  const isRemoved = (id: string): boolean => world.removed.has(id)
  await replayDead(
    { plan, pages, ratePerSecond, isRemoved, signal: never, onProgress: () => undefined },
    { ...deps, plans },
  )
}

const plansOf = (world: World, process: Process) => {
  const port = createPort(world, process)
  const { plans } = world.table
  return {
    read: port.read('plan', plans.read),
    put: port.write('put plan', plans.put),
    remove: port.write('remove plan', plans.remove),
  }
}

/** The log, a day at a time, in the order of its ids. */
async function* eventsOfLog({ world, deps }: At): AsyncGenerator<EventSummary> {
  const days = new Set([...world.table.seen.events.keys()].map(eventDay))
  for (const { source } of world.plan.sources) {
    for (const stream of streamNames) {
      for (const day of [...days].sort()) {
        let fromId: string | null = ''
        while (fromId !== null) {
          const page: { events: EventSummary[]; nextFromId: string | null } = await deps.log.pageOfDay({
            sourceId: source.id,
            stream,
            day,
            fromId,
            limit: 10,
          })
          yield* page.events
          fromId = page.nextFromId
        }
      }
    }
  }
}

export const recoverOnly =
  (only: Only) =>
  async (at: At): Promise<void> => {
    const { world, deps, process } = at
    const endpoint = await pickEndpoint(at)
    if (endpoint === null) return
    const plans = plansOf(world, process)
    const range = { fromSecond: 0, toSecond: Number.MAX_SAFE_INTEGER }
    const name = `recover ${endpoint.id} ${only}`
    const { plan } = await openPlan({ name, range, nowMs: deps.clock.now(), anew: false }, plans)
    const floorSecondOf = ({ sourceId, stream }: EventSummary): number | null =>
      world.table.seen.cursors.get(`${sourceId} ${stream} main`)?.floorSecond ?? null
    const place = plan.placeId
    await recover(
      {
        endpoint,
        only,
        events: place === null ? eventsOfLog(at) : after(eventsOfLog(at), place),
        plan,
        floorSecondOf,
        ratePerSecond,
        isDryRun: false,
        signal: never,
        onProgress: () => undefined,
      },
      { ...deps, plans },
    )
  }

async function* after(events: AsyncIterable<EventSummary>, placeId: string): AsyncGenerator<EventSummary> {
  for await (const event of events) if (event.id > placeId) yield event
}
