import type { Process, ProcessKind } from '../engine/process.ts'
import type { Scheduler } from '../engine/scheduler.ts'

/** Lambda keeps environments and uses them again, or does not. */
const usedAgainShare = 0.8
/** What a process that stood still has left when it goes on. */
const afterFreezeMs = 20_000

type Environment<E, R> = {
  process: Process
  handler: (event: E, process: Process) => Promise<R>
  isBusy: boolean
}

/** What becomes of an invocation: its answer, or null where the function failed. A death tells nothing. */
export type Invocation<R> = { process: Process; ended: (result: R | null) => void }

/**
 * A Lambda function with its environments: each has one invocation at a time and is frozen in between; what an
 * invocation left under way goes on in the next one. A function that takes too long is ended, with its environment.
 */
export const createEnvironments = <E, R>(
  scheduler: Scheduler,
  of: {
    kind: ProcessKind
    timeoutMs: number
    build: (process: Process) => (event: E, process: Process) => Promise<R>
    /** What it threw: Lambda prints it. */
    threw: (process: Process, error: unknown) => void
  },
) => {
  const { dice } = scheduler
  const environments: Environment<E, R>[] = []
  let running = 0

  const open = (): Environment<E, R> => {
    const idle = environments.filter(({ isBusy, process }) => !isBusy && process.isAlive)
    const [first, ...others] = idle
    if (first !== undefined && dice.chance(usedAgainShare)) return dice.pick([first, ...others])
    const process = scheduler.newProcess(of.kind)
    const fresh = { process, handler: of.build(process), isBusy: false }
    environments.push(fresh)
    return fresh
  }

  /** A process that dies tells nobody: the next look finds it. */
  const bury = (): void => {
    for (const environment of environments) {
      if (environment.isBusy && !environment.process.isAlive) {
        environment.isBusy = false
        running -= 1
      }
    }
  }

  return {
    running: (): number => {
      bury()
      return running
    },
    /** Ends it whatever it is doing, as a deployment does. */
    killAll: (): void => {
      for (const { process } of environments) scheduler.kill(process)
      bury()
    },
    invoke: (
      event: E,
      prepare: (process: Process) => void,
      ended: (process: Process, result: R | null) => void,
    ): void => {
      bury()
      const environment = open()
      const { process } = environment
      environment.isBusy = true
      running += 1
      process.invocation += 1
      process.inHand = new Map()
      process.frozenAt = -1
      prepare(process)
      scheduler.thaw(process)
      const { invocation } = process
      const timeOut = (): void => {
        if (!process.isAlive || !environment.isBusy || process.invocation !== invocation) return
        if (process.frozenUntilMs > scheduler.now()) {
          scheduler.at(process.frozenUntilMs + afterFreezeMs, process.id, 'time-out', timeOut)
          return
        }
        scheduler.count('timed_out')
        scheduler.note(`${process.id} is ended`)
        scheduler.kill(process)
        bury()
      }
      const timer = scheduler.at(scheduler.now() + of.timeoutMs, process.id, 'time-out', timeOut)
      const end = (result: R | null): void => {
        timer.cancelled = true
        environment.isBusy = false
        running -= 1
        scheduler.freeze(process, Number.POSITIVE_INFINITY)
        ended(process, result)
      }
      environment.handler(event, process).then(end, (error: unknown) => {
        scheduler.note(`${process.id} fails: ${error instanceof Error ? error.message : 'an error'}`)
        of.threw(process, error)
        end(null)
      })
    },
  }
}

export type Environments<E, R> = ReturnType<typeof createEnvironments<E, R>>
