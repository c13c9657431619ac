import { systemClock } from '../../shared/adapters/system-clock.ts'
import { BridgeError } from '../../shared/domain/bridge-error.ts'
import { DataFolderError } from './data-folder.ts'
import { runDemo } from './demo.ts'
import { readCommandLine } from './flags.ts'
import { createJsonLines } from './json-lines.ts'
import type { Output } from './output.ts'
import { exitDone, exitFailed, exitInterrupted, exitWrongUse, runBridge } from './run-bridge.ts'

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
  const asked = readCommandLine(process.argv.slice(2), process.env)
  if (asked.kind === 'shown') {
    process.stdout.write(asked.text)
    return exitDone
  }
  if (asked.kind === 'wrong') {
    for (const problem of asked.problems) process.stderr.write(`feedback-bridge: ${problem}\n`)
    return exitWrongUse
  }
  const stopping = stopSignal()
  // Whoever read our output is gone, as `head` is: nobody sees how it goes on.
  process.stdout.on('error', () => stopping.abort())
  const output = createOutput(asked.json)
  const { signal } = stopping
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

process.exitCode = await run().catch(tellFailure)
// Everything is closed by now; should something hang all the same, nobody is to wait for it.
setTimeout(() => process.exit(), hangMsMax).unref()
