import { AttemptFault } from './attempt-fault.ts'
import { orAborted, startDeadline } from './deadline.ts'
import type { ResolveHost } from './resolver.ts'

export type LookupLimits = {
  /** Of one lookup, both families and all tries. */
  lookupTimeoutMs: number
  /** Lookups under way at the same time; a name has one at most, however many deliveries wait for it. */
  lookupsMax: number
  /** How long an answer is used again, and of how many names. */
  lookupCacheMs: number
  lookupCacheEntriesMax: number
}

export const lookupLimitDefaults: LookupLimits = {
  lookupTimeoutMs: 5_000,
  lookupsMax: 256,
  lookupCacheMs: 5_000,
  lookupCacheEntriesMax: 1_000,
}

type Lookup = { callers: number; addresses: Promise<string[]> }

/** Runs at most `max` at the same time, first come, first served. */
const createSlots = (max: number) => {
  let taken = 0
  const waiting: (() => void)[] = []
  return async <T>(run: (slot: { waited: boolean }) => Promise<T>): Promise<T> => {
    const waited = taken >= max
    if (waited) await new Promise<void>(resolve => waiting.push(resolve))
    else taken += 1
    try {
      return await run({ waited })
    } finally {
      // The slot goes to the next one as it is, so that nobody slips in between.
      const next = waiting.shift()
      if (next === undefined) taken -= 1
      else next()
    }
  }
}

/**
 * Puts bounds around a resolver: a time-out of its own, lookups at the same time, one lookup for each name however
 * many ask for it, and a short cache of what was found (invariants 8 and 9). A caller whose signal is aborted gets
 * `dns_timeout` at once; the lookup goes on for the others.
 */
export const createBoundedResolver = (
  settings: LookupLimits & { resolve: ResolveHost; now: () => number },
): ResolveHost => {
  const { resolve, now, lookupTimeoutMs, lookupCacheMs, lookupCacheEntriesMax } = settings
  const inSlot = createSlots(settings.lookupsMax)
  const running = new Map<string, Lookup>()
  const found = new Map<string, { addresses: readonly string[]; untilMs: number }>()

  const remember = (host: string, addresses: readonly string[]) => {
    found.delete(host)
    found.set(host, { addresses, untilMs: now() + lookupCacheMs })
    for (const oldest of found.keys()) {
      if (found.size <= lookupCacheEntriesMax) break
      found.delete(oldest)
    }
  }

  const lookUp = async (host: string): Promise<string[]> => {
    const deadline = startDeadline(lookupTimeoutMs)
    try {
      const addresses = await orAborted(
        resolve(host, deadline.signal),
        deadline.signal,
        () => new AttemptFault('dns_timeout'),
      )
      remember(host, addresses)
      return addresses
    } catch (error) {
      throw error instanceof AttemptFault ? error : new AttemptFault('dns_failed')
    } finally {
      deadline.clear()
    }
  }

  const start = (host: string): Lookup => {
    const lookup: Lookup = { callers: 0, addresses: Promise.resolve([]) }
    const forget = () => {
      if (running.get(host) === lookup) running.delete(host)
    }
    running.set(host, lookup)
    lookup.addresses = inSlot(async ({ waited }) => {
      // Whoever asked has given up while it waited for a slot.
      if (waited && lookup.callers === 0) {
        forget()
        throw new AttemptFault('dns_timeout')
      }
      return await lookUp(host)
    }).finally(forget)
    return lookup
  }

  return async (host, signal) => {
    const known = found.get(host)
    if (known !== undefined && known.untilMs > now()) return [...known.addresses]
    const lookup = running.get(host) ?? start(host)
    lookup.callers += 1
    try {
      return await orAborted(lookup.addresses, signal, () => new AttemptFault('dns_timeout'))
    } finally {
      lookup.callers -= 1
    }
  }
}
