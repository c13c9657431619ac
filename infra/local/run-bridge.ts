import { systemClock } from '../../shared/adapters/system-clock.ts'
import type { Reporter } from '../../shared/domain/happenings.ts'
import { createFanOut } from './fan-out.ts'
import { introduction } from './introduction.ts'
import type { Output } from './output.ts'
import type { BridgeSettings } from './settings.ts'
import { type CaughtUp, createCaughtUp } from './settled.ts'
import { type RunningBridge, type StartOptions, startBridge } from './start-bridge.ts'
import { endLines, progressLine } from './summary-lines.ts'
import { createTally, type Tally } from './tally.ts'
import { createWarnings } from './warnings.ts'

export const exitDone = 0
export const exitFailed = 1
export const exitWrongUse = 2
export const exitInterrupted = 130

const progressEveryMs = 5_000
const settledLookMs = 200

/**
 * Runs the bridge until `signal` is aborted or, with `--once`, until all is read and delivered, held or dead; tells
 * people how it goes. Returns the process's exit code. Throws as `startBridge` does.
 */
export const runBridge = async (
  settings: BridgeSettings,
  of: { signal: AbortSignal; output: Output } & Pick<StartOptions, 'sweeps' | 'emulators'>,
): Promise<number> => {
  const { output, signal } = of
  const startedMs = systemClock.now()
  const tally = createTally()
  const caughtUp = createCaughtUp(systemClock.now)
  const reporters = [
    tally,
    caughtUp,
    createWarner(output),
    ...(output.reporter === null ? [] : [output.reporter]),
  ]
  const reporter = createFanOut(reporters, () =>
    output.warn('an output failed and is left out from here on.'),
  )
  const { admission } = output
  const bridge = await startBridge(settings, { ...of, reporter, admission })
  try {
    tally.remember(bridge.left.standing, bridge.left.andMore)
    for (const line of introduction(settings, bridge)) output.tell(line)
    const progress = tellProgress(tally, output, signal)
    const code = settings.once
      ? await runOnce(bridge, caughtUp, { output, signal })
      : await aborted(signal).then(() => exitDone)
    if (signal.aborted) output.tell('Stopping: what is under way is ended first; Ctrl-C again stops at once.')
    await bridge.stop()
    progress.end()
    for (const line of endLines(tally.counts(), {
      tookMs: systemClock.now() - startedMs,
      next: 'the next start goes on with them',
    }))
      output.tell(line)
    return code
  } finally {
    await bridge.stop()
  }
}

const createWarner = (output: Output): Reporter => {
  const warningOf = createWarnings(systemClock.now)
  return {
    report: happening => {
      const warning = warningOf(happening)
      if (warning !== null) output.warn(warning)
    },
  }
}

/** Tells how things stand, every few seconds in which something changed. */
const tellProgress = (tally: Tally, output: Output, signal: AbortSignal): { end: () => void } => {
  let told = progressLine(tally.counts())
  const timer = setInterval(() => {
    const line = progressLine(tally.counts())
    if (line === told) return
    told = line
    output.tell(line)
  }, progressEveryMs)
  const end = (): void => clearInterval(timer)
  signal.addEventListener('abort', end, { once: true })
  return { end }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

/** Reads to the end, lets everything settle, and says with which code that ends. */
const runOnce = async (
  bridge: RunningBridge,
  caughtUp: CaughtUp,
  { output, signal }: { output: Output; signal: AbortSignal },
): Promise<number> => {
  const ids = bridge.sources.map(({ id }) => id)
  const givenUp = await caughtUp.caughtUp(ids, signal)
  if (!signal.aborted) await bridge.stopPolling()
  while (!signal.aborted && !(await bridge.isSettled())) await systemClock.sleep(settledLookMs, signal)
  if (signal.aborted) {
    output.warn('interrupted before everything was read and settled.')
    return exitInterrupted
  }
  for (const { source, stream, reason } of givenUp) {
    output.warn(`${source} ${stream} could not be read to the end: ${reason}.`)
  }
  const dead = caughtUp.deadSeen() > 0 || (await bridge.hasDeadLetters())
  if (dead) output.warn('there are dead letters.')
  return givenUp.length > 0 || dead ? exitFailed : exitDone
}
