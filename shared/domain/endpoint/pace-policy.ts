import type { EndpointLimits } from './endpoint.ts'

/** What is taken of an endpoint's limits, by all dispatchers together. */
export type PaceState = {
  /** Grows with every write. */
  version: number
  /** When the next attempt may begin, by `maxPerSecond`: Unix milliseconds. */
  nextAtMs: number
  /** Attempts that may be under way, by the batch that took them; a batch that died loses them at `untilMs`. */
  leases: readonly PaceLease[]
}

export type PaceLease = { id: string; slots: number; untilMs: number }

export const freshPace: PaceState = { version: 0, nextAtMs: 0, leases: [] }

/** An attempt waits for its turn in the dispatcher for no longer than this: beyond it, it is set aside. */
export const paceWaitMsMax = 2_000

/** What a batch may do: begin attempts at these times, and have so many under way; null: as many as it likes. */
export type PaceGrant = { startsAtMs: readonly number[]; slots: number | null }

/**
 * Takes what a batch with `wanted` attempts may have now. Attempts a second are spaced evenly, over all dispatchers, so
 * that a limit is no burst at each second's begin. Pure; `leaseId` names the batch's slots until `leaseUntilMs`.
 */
export const takePace = (of: {
  state: PaceState
  limits: EndpointLimits
  wanted: number
  nowMs: number
  lease: { id: string; untilMs: number }
}): { state: PaceState; grant: PaceGrant } => {
  const { state, limits, nowMs } = of
  const leases = state.leases.filter(({ untilMs }) => untilMs > nowMs)
  const free = freeSlots(leases, limits)
  const slots = free === null ? null : Math.min(free, of.wanted)
  const starts = startsFor({ ...of, wanted: slots === 0 ? 0 : of.wanted })
  const taken = slots === null || slots === 0 || starts.atMs.length === 0 ? [] : [{ ...of.lease, slots }]
  return {
    state: { version: state.version + 1, nextAtMs: starts.nextAtMs, leases: [...leases, ...taken] },
    grant: { startsAtMs: starts.atMs, slots },
  }
}

/** Gives a batch's slots back. Pure. */
export const returnPace = (state: PaceState, leaseId: string): PaceState => ({
  ...state,
  version: state.version + 1,
  leases: state.leases.filter(({ id }) => id !== leaseId),
})

const freeSlots = (leases: readonly PaceLease[], { maxInFlight }: EndpointLimits): number | null =>
  maxInFlight === null ? null : Math.max(0, maxInFlight - leases.reduce((sum, { slots }) => sum + slots, 0))

const startsFor = (of: {
  state: PaceState
  limits: EndpointLimits
  wanted: number
  nowMs: number
}): { atMs: number[]; nextAtMs: number } => {
  const { nowMs, wanted } = of
  const { maxPerSecond } = of.limits
  if (maxPerSecond === null) {
    return { atMs: Array.from({ length: wanted }, () => nowMs), nextAtMs: of.state.nextAtMs }
  }
  const everyMs = 1_000 / maxPerSecond
  const atMs: number[] = []
  let nextAtMs = Math.max(of.state.nextAtMs, nowMs)
  while (atMs.length < wanted && nextAtMs - nowMs <= paceWaitMsMax) {
    atMs.push(nextAtMs)
    nextAtMs += everyMs
  }
  return { atMs, nextAtMs }
}
