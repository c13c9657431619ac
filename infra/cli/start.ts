import { systemClock } from '../../shared/adapters/system-clock.ts'
import { entries } from './entries.ts'
import { exitInterrupted } from './exit-codes.ts'
import { runCommandLine } from './run-command-line.ts'
import { createTerminalIo } from './terminal-io.ts'

/** npm passes a Ctrl-C on to us that the terminal has sent us too: so close together they are one. */
const sameSignalMs = 500
/** How long a process that has ended its work may still be there. */
const hangMsMax = 2_000

/** Aborted by the first Ctrl-C; the second ends the process at once. */
const stopSignal = (): AbortController => {
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
  return stopping
}

/** Runs the command line of this process, and ends it with the command's exit code. */
export const start = async (): Promise<void> => {
  const stopping = stopSignal()
  // Whoever read our output is gone, as `head` is.
  process.stdout.on('error', () => stopping.abort())
  const { signal } = stopping
  const io = createTerminalIo({ process, signal })
  process.exitCode = await runCommandLine(process.argv.slice(2), { entries, io, clock: systemClock, signal })
  // Everything is closed by now; should something hang all the same, nobody is to wait for it.
  setTimeout(() => process.exit(), hangMsMax).unref()
}
