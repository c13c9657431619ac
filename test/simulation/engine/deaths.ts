import type { Process } from './process.ts'

/** An await of a process at which it may be stopped: a call of a port, a request, a POST. */
export type CallPoint = {
  name: string
  /** It changes something outside of the process: it matters whether it was done before the process died. */
  isWrite: boolean
}

/** Where in a call its process dies: before it was done; or after, before it learned of it. */
export type Death = 'no' | 'before' | 'after'

/** What decides at each call whether its process dies: the dice, or a point that was chosen. */
export type Deaths = {
  strike(process: Process, point: CallPoint): Death
  /** Whether a call that was under way when its process died is done all the same. */
  isDoneAfterDeath(): boolean
}
