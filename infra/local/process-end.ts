import { systemClock } from '../../shared/adapters/system-clock.ts'

/** npm passes a Ctrl-C on to us that the terminal has sent us too: so close together they are one. */
const sameSignalMs = 500
/** How long a process that has ended its work may still be there. */
const hangMsMax = 2_000

/** Aborted by the first Ctrl-C, or once whoever read our output is gone; the second Ctrl-C ends the process at once. */
export const stopSignal = (exitInterrupted: number): AbortSignal => {
  const stopping = new AbortController()
  let firstMs: number | null = null
  const onSignal = (): void => {
    const now = systemClock.now()
    if (firstMs !== null && now - firstMs > sameSignalMs) process.exit(exitInterrupted)
    firstMs ??= now
    stopping.abort()
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
  // As `head` goes: nobody sees how it goes on.
  process.stdout.on('error', () => stopping.abort())
  return stopping.signal
}

/** Ends the process, with the code that was set, soon after everything is closed: nobody is to wait for what hangs. */
export const endSoon = (): void => {
  setTimeout(() => process.exit(), hangMsMax).unref()
}
