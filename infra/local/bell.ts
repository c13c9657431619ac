export type Bell = {
  /** Wakes everyone who waits now. */
  ring(): void
  /** Resolves at the next ring. */
  rung(): Promise<void>
}

/** Wakes whoever waits for something to have changed; each looks for itself whether it is what it waits for. */
export const createBell = (): Bell => {
  let waiting = Promise.withResolvers<void>()
  return {
    ring: () => {
      const woken = waiting
      waiting = Promise.withResolvers<void>()
      woken.resolve()
    },
    rung: () => waiting.promise,
  }
}
