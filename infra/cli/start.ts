import { systemClock } from '../../shared/adapters/system-clock.ts'
import { endSoon, stopSignal } from '../local/process-end.ts'
import { entries } from './entries.ts'
import { exitInterrupted } from './exit-codes.ts'
import { runCommandLine } from './run-command-line.ts'
import { createTerminalIo } from './terminal-io.ts'

/** Runs the command line of this process, and ends it with the command's exit code. */
export const start = async (): Promise<void> => {
  const signal = stopSignal(exitInterrupted)
  const io = createTerminalIo({ process, signal })
  process.exitCode = await runCommandLine(process.argv.slice(2), { entries, io, clock: systemClock, signal })
  endSoon()
}
