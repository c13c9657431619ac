import { faultOf } from '../bridge-error.ts'
import type { Clock, Random } from '../clock.ts'
import type { Endpoint } from '../endpoint/endpoint.ts'
import {
  type BatchOutcomes,
  disableAfterMsDefault,
  type HealthChange,
  healthAfter,
  healthWithProbe,
  isTroubled,
  windowMs,
} from '../endpoint/endpoint-health.ts'
import type { EndpointStore } from '../endpoint/endpoint-store.ts'
import type { Reporter } from '../happenings.ts'
import type { EndpointDirectory } from './endpoint-directory.ts'
import { failingTooLong } from './reasons.ts'

/** Tries to write what was counted; another dispatcher's write refuses it each time. */
export const healthWriteTriesMax = 4

export type HealthKeeperDeps = {
  endpoints: Pick<EndpointStore, 'writeHealth'>
  directory: EndpointDirectory
  reporter: Reporter
  clock: Clock
  random: Random
  /** Without a success for this long, an endpoint is disabled. */
  disableAfterMs?: number
}

/** What dispatchers know together of the health of endpoints (endpoint-health.ts). */
export interface HealthKeeper {
  /** Takes the one probe that is due of an open breaker; says whether this process has it. Never throws. */
  claimProbe(endpoint: Endpoint): Promise<boolean>
  /**
   * Counts what a batch met. Nothing is written while all is well: successes are kept here and go along with the next
   * failure. Disables an endpoint that has failed for too long. Never throws: a count that is lost is made again by the
   * next failures.
   */
  note(endpointId: string, outcomes: BatchOutcomes): Promise<void>
}

export const createHealthKeeper = (deps: HealthKeeperDeps): HealthKeeper => {
  const { endpoints, directory, reporter, clock, random } = deps
  const disableAfterMs = deps.disableAfterMs ?? disableAfterMsDefault
  const unwritten = new Map<string, { successes: number; sinceMs: number }>()

  const orReport = async <T>(endpoint: string, work: () => Promise<T>, otherwise: T): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      reporter.report({ kind: 'fault', event: null, endpoint, ...faultOf(error), delayMs: 0 })
      return otherwise
    }
  }
  const successesOf = (id: string): number => {
    const kept = unwritten.get(id)
    return kept === undefined || clock.now() - kept.sinceMs >= windowMs ? 0 : kept.successes
  }
  const keepSuccesses = (id: string, successes: number): void => {
    const before = successesOf(id)
    const sinceMs = before === 0 ? clock.now() : (unwritten.get(id)?.sinceMs ?? clock.now())
    unwritten.set(id, { successes: before + successes, sinceMs })
  }
  const tell = (endpoint: Endpoint, { breaker, health }: HealthChange): void => {
    if (breaker === null) return
    const openMs = breaker === 'closed' ? clock.now() - (endpoint.health.open?.sinceMs ?? clock.now()) : null
    const state = breaker === 'closed' ? 'closed' : 'open'
    reporter.report({
      kind: 'breaker',
      endpoint: endpoint.id,
      state,
      reason: health.open?.because ?? null,
      openMs,
    })
  }
  const count = async (endpoint: Endpoint, outcomes: BatchOutcomes): Promise<'written' | 'refused'> => {
    const successes = outcomes.successes + successesOf(endpoint.id)
    const change = healthAfter({
      health: endpoint.health,
      // Earlier successes count in the window alone: what happened since may have been anything.
      outcomes,
      successesBefore: successes - outcomes.successes,
      nowMs: clock.now(),
      random: random(),
      disableAfterMs,
    })
    if (!(await endpoints.writeHealth(endpoint.id, change.health))) return 'refused'
    unwritten.delete(endpoint.id)
    await directory.noteHealth(endpoint.id, change.health)
    tell(endpoint, change)
    if (change.isDisabling) await directory.disable(endpoint.id, failingTooLong)
    return 'written'
  }
  const note = async (id: string, outcomes: BatchOutcomes): Promise<void> => {
    let endpoint = await directory.current(id)
    for (let tries = 0; endpoint?.state === 'active' && tries < healthWriteTriesMax; tries += 1) {
      const isAllWell = outcomes.failures + outcomes.throttled === 0 && !isTroubled(endpoint.health)
      if (isAllWell) return keepSuccesses(id, outcomes.successes)
      if ((await count(endpoint, outcomes)) === 'written') return
      endpoint = await directory.refresh(id)
    }
  }

  return {
    claimProbe: endpoint =>
      orReport(
        endpoint.id,
        async () => {
          const health = healthWithProbe(endpoint.health, { nowMs: clock.now(), random: random() })
          if (health === null) return false
          const isClaimed = await endpoints.writeHealth(endpoint.id, health)
          if (isClaimed) await directory.noteHealth(endpoint.id, health)
          else await directory.refresh(endpoint.id)
          return isClaimed
        },
        false,
      ),
    note: (id, outcomes) => orReport(id, () => note(id, outcomes), undefined),
  }
}
