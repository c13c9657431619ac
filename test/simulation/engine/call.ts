import { TableError } from '../../../shared/adapters/dynamodb/table-errors.ts'
import type { FaultKind } from './faults.ts'
import type { Process } from './process.ts'
import type { Scheduler } from './scheduler.ts'

/** Usual milliseconds of a call, and of a slow one. */
const latencyMs = { min: 1, max: 25 }
const slowMs = { min: 500, max: 6_000 }
/** When the SDK repeats a request whose reply was lost. */
const repeatMs = { min: 50, max: 3_000 }
const frozenMs = { min: 30_000, max: 900_000 }
/** Replies that come apart from what they tell of, so that others act in between. */
const lateReplyShare = 0.15

/** One call of a port: a step, at which a process can be stopped. */
export type Call<T> = {
  name: string
  /** Does it, at once, to what is there then. */
  apply: () => Promise<T>
  /** Where it writes, what a repeated request does and answers; null: it only reads. */
  repeat: ((first: T) => Promise<T>) | null
  /** What the caller gets where it fails; null: it throws. */
  failure?: (() => T) | null
  /** Told of each fault that strikes it. */
  onFault?: (kind: FaultKind) => void
}

export const tableFailed = (): TableError =>
  new TableError({ code: 'table_unavailable', message: 'injected', hint: 'injected' })

/** Calls a port from a process: what comes of it, and when, the dice decide. */
export const call = <T>(scheduler: Scheduler, process: Process, of: Call<T>): Promise<T> => {
  const { dice } = scheduler
  const asked = process.invocation
  return new Promise((resolve, reject) => {
    const strikes = (kind: FaultKind): boolean => {
      const isStruck = scheduler.strikes(kind)
      if (isStruck) {
        scheduler.note(`${of.name}: ${kind}`)
        of.onFault?.(kind)
      }
      return isStruck
    }
    const reply = (act: () => void): void => {
      const now = (): void => scheduler.deliver(process, act)
      const atMs = scheduler.now() + dice.int(1, latencyMs.max)
      if (dice.chance(lateReplyShare)) scheduler.at(atMs, process.id, `${of.name}: reply`, now)
      else now()
    }
    const fail = (): void => {
      if (of.failure === undefined || of.failure === null) reply(() => reject(tableFailed()))
      else {
        const failed = of.failure()
        reply(() => resolve(failed))
      }
    }
    const done = (doing: Promise<T>): Promise<void> =>
      doing.then(
        value => reply(() => resolve(value)),
        (error: unknown) => reply(() => reject(error)),
      )
    const act = (): void => {
      if (!process.isAlive) {
        if (of.repeat !== null && scheduler.deaths.isDoneAfterDeath()) of.apply().catch(() => undefined)
        return
      }
      const death = scheduler.deaths.strike(process, { name: of.name, isWrite: of.repeat !== null })
      if (death !== 'no') {
        scheduler.note(`${of.name}: ${process.id} died ${death} it`)
        if (death === 'after') of.apply().catch(() => undefined)
        scheduler.kill(process)
        return
      }
      if (strikes('frozen')) {
        scheduler.freeze(process, scheduler.now() + dice.int(frozenMs.min, frozenMs.max))
      }
      const { repeat } = of
      if (strikes('call_failed')) fail()
      else if (repeat === null) void done(of.apply())
      else if (strikes('reply_lost')) void of.apply().then(fail, fail)
      else if (strikes('call_repeated')) applyTwice(repeat)
      else void done(of.apply())
    }
    const applyTwice = (repeat: (first: T) => Promise<T>): void => {
      void of.apply().then(first => {
        const atMs = scheduler.now() + dice.int(repeatMs.min, repeatMs.max)
        scheduler.at(atMs, process.id, `${of.name}: repeated`, () => void done(repeat(first)))
      }, reject)
    }
    const isSlow = strikes('slow')
    const delay = isSlow ? slowMs : latencyMs
    const who = `${process.id}/${asked}`
    scheduler.at(scheduler.now() + dice.int(delay.min, delay.max), who, of.name, act)
  })
}
