import { systemClock } from '../../shared/adapters/system-clock.ts'
import { BridgeError } from '../../shared/domain/bridge-error.ts'
import { DataFolderError } from './data-folder.ts'
import { runDemo } from './demo.ts'
import { readCommandLine } from './flags.ts'
import { createJsonLines } from './json-lines.ts'
import type { Output } from './output.ts'
import { endSoon, stopSignal } from './process-end.ts'
import { exitDone, exitFailed, exitInterrupted, exitWrongUse, runBridge } from './run-bridge.ts'
import { keepsSources } from './sources.ts'

const createOutput = (json: boolean): Output & { flush(): Promise<void> } => {
  const lines = json ? createJsonLines(process.stdout, systemClock) : null
  return {
    // With --json stdout belongs to machines.
    tell: line => (json ? process.stderr : process.stdout).write(`${line}\n`),
    warn: line => process.stderr.write(`feedback-bridge: ${line}\n`),
    reporter: lines,
    admission: async () => lines?.admission(),
    flush: async () => lines?.flush(),
  }
}

const run = async (): Promise<number> => {
  const asked = readCommandLine(process.argv.slice(2), process.env, keepsSources)
  if (asked.kind === 'shown') {
    process.stdout.write(asked.text)
    return exitDone
  }
  if (asked.kind === 'wrong') {
    for (const problem of asked.problems) process.stderr.write(`feedback-bridge: ${problem}\n`)
    return exitWrongUse
  }
  const signal = stopSignal(exitInterrupted)
  const output = createOutput(asked.json)
  const code =
    asked.kind === 'demo'
      ? await runDemo({ signal, output })
      : await runBridge(asked.settings, { signal, output })
  await output.flush()
  return code
}

/** What is expected to go wrong is told without a stack. */
const tellFailure = (error: unknown): number => {
  if (error instanceof BridgeError) {
    process.stderr.write(`feedback-bridge: ${error.message}\n  ${error.hint}\n`)
    return error instanceof DataFolderError ? exitWrongUse : exitFailed
  }
  process.stderr.write(`feedback-bridge: an unexpected fault; please report it.\n`)
  console.error(error)
  return exitFailed
}

/** Runs the bridge that this process's command line asks for, and ends the process with its exit code. */
export const start = async (): Promise<void> => {
  process.exitCode = await run().catch(tellFailure)
  endSoon()
}
