import type { Clock } from '../../../shared/domain/clock.ts'
import type { Dice } from '../../unit/polling/world/dice.ts'
import type { Deaths } from './deaths.ts'
import { createEventHeap, type Event } from './event-heap.ts'
import { type FaultKind, type FaultShares, newFaultCounts } from './faults.ts'
import { createProcess, type Process, type ProcessKind } from './process.ts'
import type { Trace } from './trace.ts'

/** What a rule of section 3 was found to be broken by. */
export class Violation extends Error {}

/** Virtual time, what is under way in it, and the order in which it happens: all a function of the dice. */
export type Scheduler = {
  readonly dice: Dice
  readonly deaths: Deaths
  /** Steps so far: each is one thing that happened. */
  readonly steps: number
  readonly counts: Record<FaultKind, number>
  faults: FaultShares
  now(): number
  /** Lets something happen later; `who` and `what` stand in the trace. */
  at(atMs: number, who: string, what: string, act: () => void): Event
  /** When the next thing happens; null where nothing is under way. */
  nextAtMs(): number | null
  /** The next thing happens, and all that the code does of it at once. */
  step(): Promise<void>
  /** Nothing more is to happen before: time goes on. */
  turnTo(atMs: number): void
  /** Throws the dice for a fault and counts it where it strikes. */
  strikes(fault: FaultKind): boolean
  count(fault: FaultKind): void
  violate(rule: string): void
  violations(): readonly string[]
  note(line: string): void
  newProcess(kind: ProcessKind, task?: string): Process
  kill(process: Process): void
  /** Until when nothing comes back to it; at the latest when it is thawed. */
  freeze(process: Process, untilMs: number): void
  thaw(process: Process): void
  /** Hands something to a process: now, when it is thawed, or never. */
  deliver(process: Process, act: () => void): void
  clockOf(process: Process | null): Clock
}

/** Of the calls under way when a process dies, so many are done all the same. */
const doneAfterDeathShare = 0.5

export const createScheduler = (deps: {
  startMs: number
  dice: Dice
  trace: Trace
  /** By the dice where nothing else is said. */
  deaths?: Deaths
}): Scheduler => {
  const { dice, trace } = deps
  const heap = createEventHeap()
  const violations: string[] = []
  const processes = { poller: 0, dispatcher: 0, releaser: 0, operator: 0 }
  let nowMs = deps.startMs

  const at = (atMs: number, who: string, what: string, act: () => void): Event =>
    heap.put(Math.max(atMs, nowMs), () => {
      trace.add(`${scheduler.steps} ${nowMs - deps.startMs} ${who} ${what}`)
      act()
    })

  const deliver = (process: Process, act: () => void): void => {
    if (!process.isAlive) return
    if (process.frozenUntilMs <= nowMs) act()
    else if (process.frozenUntilMs === Number.POSITIVE_INFINITY) process.parked.push(act)
    else at(process.frozenUntilMs, process.id, 'thaws', () => deliver(process, act))
  }

  const sleepOf =
    (process: Process | null): Clock['sleep'] =>
    (ms, signal) =>
      new Promise(resolve => {
        if (signal?.aborted === true) return resolve()
        const wake = (): void => {
          signal?.removeEventListener('abort', stop)
          if (process === null) resolve()
          else deliver(process, resolve)
        }
        const event = at(nowMs + Math.max(0, Math.ceil(ms)), process?.id ?? 'world', 'wakes', wake)
        const stop = (): void => {
          event.cancelled = true
          resolve()
        }
        signal?.addEventListener('abort', stop, { once: true })
      })

  const byDice: Deaths = {
    strike: () => {
      if (!scheduler.strikes('died')) return 'no'
      return dice.chance(0.5) ? 'after' : 'before'
    },
    isDoneAfterDeath: () => dice.chance(doneAfterDeathShare),
  }

  const scheduler: Scheduler & { steps: number } = {
    dice,
    deaths: deps.deaths ?? byDice,
    steps: 0,
    counts: newFaultCounts(),
    faults: newFaultCounts(),
    now: () => nowMs,
    at,
    nextAtMs: heap.nextAtMs,
    step: async () => {
      const event = heap.take()
      if (event === null) return
      nowMs = Math.max(nowMs, event.atMs)
      scheduler.steps += 1
      event.act()
      await quiet()
    },
    turnTo: atMs => {
      nowMs = Math.max(nowMs, atMs)
    },
    strikes: fault => {
      const share = scheduler.faults[fault]
      // No dice for what can't happen: a plan without a fault has the steps of a plan that never knew it.
      if (share === 0 || !dice.chance(share)) return false
      scheduler.counts[fault] += 1
      return true
    },
    count: fault => {
      scheduler.counts[fault] += 1
    },
    violate: rule => {
      violations.push(`step ${scheduler.steps}: ${rule}`)
      trace.add(`${scheduler.steps} ${nowMs - deps.startMs} VIOLATED ${rule}`)
    },
    violations: () => violations,
    note: line => trace.add(`  ${line}`),
    newProcess: (kind, task) => {
      processes[kind] += 1
      return createProcess(kind, processes[kind], task ?? null)
    },
    kill: process => {
      if (!process.isAlive) return
      process.isAlive = false
      process.parked = []
      process.onDeath?.()
    },
    freeze: (process, untilMs) => {
      process.frozenUntilMs = untilMs
      if (untilMs !== Number.POSITIVE_INFINITY) process.frozenAt = scheduler.steps
    },
    thaw: process => {
      process.frozenUntilMs = 0
      for (const act of process.parked.splice(0))
        at(nowMs, process.id, 'goes on', () => deliver(process, act))
    },
    deliver,
    clockOf: process => ({ now: () => nowMs, sleep: sleepOf(process) }),
  }
  return scheduler
}

/** All that the code does without waiting for anybody is done. */
const quiet = (): Promise<void> => new Promise(resolve => setImmediate(resolve))
