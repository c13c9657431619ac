import { faultOf } from '../bridge-error.ts'
import type { Clock } from '../clock.ts'
import type { Endpoint } from '../endpoint/endpoint.ts'
import {
  type PaceGrant,
  type PaceState,
  paceWaitMsMax,
  returnPace,
  takePace,
} from '../endpoint/pace-policy.ts'
import type { Reporter } from '../happenings.ts'

/** A batch's slots are free again after this, also where its process died: longer than a function may run. */
export const paceLeaseMs = 90_000
/** Tries to take or return; another dispatcher's write refuses each. What can't be taken is set aside. */
export const paceTriesMax = 6

/**
 * While others have every slot, a batch asks again so often, for as long as an attempt waits for its turn. What is set
 * aside comes back only as the releaser paces it, and an endpoint with slots would stand idle meanwhile.
 */
export const paceAskAgainMs = 250

/** What is taken of endpoints' limits. */
export interface PaceStore {
  /** Consistent; `freshPace` where nothing was ever taken. */
  read(endpointId: string): Promise<PaceState>
  /** Written only over the version before its own; says whether it was. */
  write(endpointId: string, state: PaceState): Promise<boolean>
}

export type PaceGateDeps = { paces: PaceStore; clock: Clock; reporter: Reporter; newId: () => string }

/** The limits of endpoints, for one batch. */
export interface PaceGate {
  /**
   * Waits for the turn of one attempt, at most `paceWaitMsMax`. Null: not now; else to be called once the attempt is
   * over. Throws what the table throws.
   */
  enter(endpoint: Endpoint): Promise<(() => void) | null>
  /** Gives back what the batch took. Never throws: a lease ends by itself. */
  close(): Promise<void>
}

/**
 * One for each batch: what it takes of an endpoint's limits is one write, however many of its messages are for it.
 * `countOf` says how many these are.
 */
export const createPaceGate = (deps: PaceGateDeps, countOf: (endpointId: string) => number): PaceGate => {
  let leaseId: string | null = null
  const turns = new Map<string, Promise<Turns>>()

  const open = async (endpoint: Endpoint): Promise<Turns> => {
    leaseId ??= deps.newId()
    const of = { endpoint, wanted: countOf(endpoint.id), leaseId }
    const untilMs = deps.clock.now() + paceWaitMsMax
    let grant = await take(of, deps)
    while (grant !== nothing && grant.slots === 0 && deps.clock.now() + paceAskAgainMs <= untilMs) {
      await deps.clock.sleep(paceAskAgainMs)
      grant = await take(of, deps)
    }
    return createTurns(grant, deps.clock)
  }
  const giveBack = async (endpointId: string): Promise<void> => {
    for (let tries = 0; tries < paceTriesMax; tries += 1) {
      const state = await deps.paces.read(endpointId)
      const lease = state.leases.find(({ id }) => id === leaseId)
      if (lease === undefined || (await deps.paces.write(endpointId, returnPace(state, lease.id)))) return
    }
  }

  return {
    enter: async endpoint => {
      const { maxPerSecond, maxInFlight } = endpoint.limits
      if (maxPerSecond === null && maxInFlight === null) return () => {}
      const opening = turns.get(endpoint.id) ?? open(endpoint)
      turns.set(endpoint.id, opening)
      return (await opening).next()
    },
    close: async () => {
      await Promise.all(
        [...turns].map(async ([endpointId, opening]) => {
          try {
            if ((await opening).slots !== null) await giveBack(endpointId)
          } catch (error) {
            const fault = { event: null, endpoint: endpointId, ...faultOf(error), delayMs: 0 }
            deps.reporter.report({ kind: 'fault', ...fault })
          }
        }),
      )
    },
  }
}

/** Other dispatchers were quicker each time. */
const nothing: PaceGrant = { startsAtMs: [], slots: 0 }

const take = async (
  of: { endpoint: Endpoint; wanted: number; leaseId: string },
  { paces, clock }: PaceGateDeps,
): Promise<PaceGrant> => {
  const { endpoint, wanted } = of
  for (let tries = 0; tries < paceTriesMax; tries += 1) {
    const nowMs = clock.now()
    const lease = { id: of.leaseId, untilMs: nowMs + paceLeaseMs }
    const state = await paces.read(endpoint.id)
    const taken = takePace({ state, limits: endpoint.limits, wanted, nowMs, lease })
    if (taken.grant.startsAtMs.length === 0) return taken.grant
    if (await paces.write(endpoint.id, taken.state)) return taken.grant
  }
  return nothing
}

type Turns = { slots: number | null; next(): Promise<(() => void) | null> }

/** A batch's turns: each attempt takes the next start, and a slot where these are limited. */
const createTurns = ({ startsAtMs, slots }: PaceGrant, clock: Clock): Turns => {
  const starts = [...startsAtMs]
  let free = slots ?? Number.POSITIVE_INFINITY
  const waiting: PromiseWithResolvers<boolean>[] = []

  const leave = (): void => {
    const next = waiting.shift()
    // The slot goes to the next one as it is, so that nobody slips in between.
    if (next === undefined) free += 1
    else next.resolve(true)
  }
  const aSlot = async (): Promise<boolean> => {
    if (free > 0) {
      free -= 1
      return true
    }
    const inTime = new AbortController()
    const mine = Promise.withResolvers<boolean>()
    waiting.push(mine)
    const tooLong = clock.sleep(paceWaitMsMax, inTime.signal).then(() => false)
    const isGiven = await Promise.race([mine.promise, tooLong])
    inTime.abort()
    const at = waiting.indexOf(mine)
    if (at >= 0) waiting.splice(at, 1)
    // Given in the moment in which it was too long: the slot is ours to pass on, so it is taken.
    return isGiven || at < 0
  }
  return {
    slots,
    next: async () => {
      const startAtMs = starts.shift()
      if (startAtMs === undefined) return null
      const waitMs = startAtMs - clock.now()
      if (waitMs > 0) await clock.sleep(waitMs)
      return (await aSlot()) ? leave : null
    },
  }
}
