import type { Clock } from '../../../../shared/domain/clock.ts'
import type { Endpoint } from '../../../../shared/domain/endpoint/endpoint.ts'
import type { Reporter } from '../../../../shared/domain/happenings.ts'
import type { FeedbackApi } from '../../../../shared/domain/polling/feedback-api.ts'
import { createPoller, type Poller } from '../../../../shared/domain/polling/poller.ts'
import type { SweepPlan } from '../../../../shared/domain/polling/sweeps.ts'
import type { Source } from '../../../../shared/domain/source.ts'
import type { Dice } from './dice.ts'
import type { Stores } from './ledger.ts'

/** Shares of the calls of our own stores that fail so. */
export type StoreFaults = {
  /** Nothing was done. */
  fails: number
  /** It was done, and the caller never learns it. */
  replyLost: number
  /** Of a batch, each part fails with half a chance. */
  partFails: number
}
export const noStoreFaults: StoreFaults = { fails: 0, replyLost: 0, partFails: 0 }

/** A process with its poller. After its death nothing that it waits for ever comes back to it. */
export type Process = {
  poller: Poller
  alive: () => boolean
  kill: () => void
}

export type ProcessDeps = {
  clock: Clock
  dice: Dice
  stores: Stores
  api: FeedbackApi
  source: Source
  endpoints: readonly Endpoint[]
  reporter: Reporter
  sweeps: readonly SweepPlan[]
  faults: () => StoreFaults
  /** It dies at this boundary of a call, counted from 1; null: never. */
  diesAt: number | null
}

/** A promise of its own each time: what waits for it is forgotten with it. */
const forever = (): Promise<never> => new Promise(() => undefined)

export const startProcess = (deps: ProcessDeps): Process => {
  const { clock, dice, stores } = deps
  let alive = true
  let boundaries = 0

  /** Passed before and after each call of a port. */
  const boundary = async (): Promise<void> => {
    boundaries += 1
    if (boundaries === deps.diesAt) alive = false
    if (!alive) return forever()
  }

  const port =
    <A extends unknown[], R>(call: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      await boundary()
      const faults = deps.faults()
      if (dice.chance(faults.fails)) throw new Error('injected: nothing was done')
      const result = await call(...args)
      await boundary()
      if (dice.chance(faults.replyLost)) throw new Error('injected: the reply was lost')
      return result
    }

  const halves = <T>(items: readonly T[]): Set<T> => new Set(items.filter(() => dice.chance(0.5)))

  const listPage: FeedbackApi['listPage'] = async (request, signal) => {
    await boundary()
    try {
      return await deps.api.listPage(request, signal)
    } finally {
      await boundary()
    }
  }

  const poller = createPoller({
    sources: {
      list: port(async () => [deps.source]),
      read: port(async () => deps.source),
      put: async () => undefined,
      remove: async () => undefined,
    },
    apiOf: () => ({ listPage }),
    cursors: { read: port(stores.cursors.read), commit: port(stores.cursors.commit) },
    lease: {
      take: port(stores.lease.take),
      holds: port(stores.lease.holds),
      renew: port(stores.lease.renew),
    },
    log: {
      idsInRange: port(stores.log.idsInRange),
      existing: port(stores.log.existing),
      read: port(stores.log.read),
      newestOfDay: port(stores.log.newestOfDay),
      pageOfDay: port(stores.log.pageOfDay),
      record: port(async events => {
        if (!dice.chance(deps.faults().partFails)) return stores.log.record(events)
        const written = halves(events)
        await stores.log.record([...written])
        await boundary()
        if (written.size === 0) throw new Error('injected: none is known to be written')
        return new Set([...written].map(({ id }) => id))
      }),
    },
    quarantine: { keep: port(stores.quarantine.keep), read: port(stores.quarantine.read) },
    marks: {
      lower: port(stores.marks.lower),
      list: port(stores.marks.list),
      remove: port(stores.marks.remove),
    },
    // It never throws for what the queue answers: a failure is a result.
    queue: {
      send: async entries => {
        await boundary()
        const { partFails, replyLost, fails } = deps.faults()
        const failing = dice.chance(partFails) ? halves(entries) : new Set(dice.chance(fails) ? entries : [])
        const lost = dice.chance(replyLost)
        await stores.queue.send(entries.filter(entry => !failing.has(entry)))
        await boundary()
        return entries.map(entry =>
          lost || failing.has(entry) ? { kind: 'failed', reason: 'injected' } : { kind: 'sent' },
        )
      },
    },
    endpoints: port(async () => deps.endpoints),
    reporter: { report: happening => (alive ? deps.reporter.report(happening) : undefined) },
    clock: {
      now: clock.now,
      sleep: async (ms, signal) => {
        await clock.sleep(ms, signal)
        if (!alive) return forever()
      },
    },
    sweeps: deps.sweeps,
  })
  return {
    poller,
    alive: () => alive,
    kill: () => {
      alive = false
    },
  }
}
