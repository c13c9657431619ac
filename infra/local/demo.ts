import { randomBytes, randomInt } from 'node:crypto'
import { systemClock } from '../../shared/adapters/system-clock.ts'
import { deadlineMsDefault } from '../../shared/domain/delivery/deliver.ts'
import { defaultRetrySchedule } from '../../shared/domain/delivery/retry-policy.ts'
import { formatSecret, keyBytesMax } from '../../shared/domain/signing/signing-keys.ts'
import { sourceDefaults } from '../../shared/domain/source.ts'
import { type RunningSimulator, startSimulator } from '../simulator/server.ts'
import { endpointId } from './endpoint-id.ts'
import { createFanOut } from './fan-out.ts'
import { createLastAttempts } from './last-attempts.ts'
import type { Output } from './output.ts'
import { type Receiver, refusedOneIn, shakyPath, startReceiver, steadyPath } from './receiver.ts'
import { exitDone } from './run-bridge.ts'
import type { BridgeSettings } from './settings.ts'
import { startBridge } from './start-bridge.ts'
import { endLines, progressLine } from './summary-lines.ts'
import { createTally } from './tally.ts'
import { isLive, startLiveView } from './terminal.ts'
import { type DemoState, renderDemo } from './view.ts'
import { createWarnings } from './warnings.ts'

/** A folder of its own, emptied at each start. */
export const demoDataDir = '.bridge-demo'
const recordsPerSecond = 3
/** Both streams at this pace stay within 80 % of the simulator's 60 requests a minute, re-reading included. */
const pollEverySeconds = 3.5
const plainLineEveryMs = 5_000

const notes = [
  'The service is simulated, and shows real records at a few a second; their recipients are made up.',
  `${shakyPath} gets the complaints, and refuses one in ${refusedOneIn} at first: those wait, and are tried again.`,
]

/** The demo: simulator, bridge and receiver in this process, until `signal` is aborted. Returns the exit code. */
export const runDemo = async (of: { signal: AbortSignal; output: Output }): Promise<number> => {
  const { output, signal } = of
  await using running = new AsyncDisposableStack()
  const simulator = await startSimulator({ rate: recordsPerSecond, seed: randomInt(2 ** 32) })
  running.defer(() => simulator.close())
  const secrets = { [steadyPath]: newSecret(), [shakyPath]: newSecret() }
  const receiver = await startReceiver(secrets)
  running.defer(() => receiver.close())

  const startedMs = systemClock.now()
  const tally = createTally()
  const attempts = createLastAttempts(systemClock.now)
  const display = createDisplay({
    output,
    state: () => ({
      ...addresses(simulator, receiver),
      counts: tally.counts(),
      verified: receiver.verified(),
      wrong: receiver.wrong(),
      attempts: attempts.list(),
      runningMs: systemClock.now() - startedMs,
      notes,
    }),
  })
  running.defer(async () => display.end())
  const warningOf = createWarnings(systemClock.now)
  const warner = {
    report: (happening: Parameters<typeof warningOf>[0]) => {
      const warning = warningOf(happening)
      if (warning !== null) display.warn(warning)
    },
  }
  const reporters = [tally, attempts, warner, ...(output.reporter === null ? [] : [output.reporter])]
  const settings = demoSettings(simulator, receiver, secrets)
  const bridge = await startBridge(settings, {
    reporter: createFanOut(reporters),
    admission: output.admission,
    fresh: true,
  })
  running.defer(() => bridge.stop())

  await ended(signal)
  await bridge.stop()
  display.end()
  for (const line of endLines(tally.counts(), {
    tookMs: systemClock.now() - startedMs,
    next: 'the demo forgets them',
  }))
    output.tell(line)
  output.tell(signaturesLine(receiver))
  return exitDone
}

const newSecret = (): string => formatSecret(randomBytes(keyBytesMax / 2))

const demoSettings = (
  simulator: RunningSimulator,
  receiver: Receiver,
  secrets: Readonly<Record<string, string>>,
): BridgeSettings => ({
  source: {
    ...sourceDefaults,
    baseUrl: simulator.url,
    pathPrefix: simulator.pathPrefix,
    includeSoft: true,
    startAt: { kind: 'earliest' },
    pollEverySeconds,
  },
  token: simulator.token,
  endpoints: Object.entries(secrets).map(([path, secret]) => ({
    url: `${receiver.url}${path}`,
    secret,
    types: path === shakyPath ? ['email.complaint'] : ['*'],
  })),
  retrySchedule: defaultRetrySchedule,
  deadlineMs: deadlineMsDefault,
  dataDir: demoDataDir,
  allowPrivate: true,
  once: false,
})

const addresses = (simulator: RunningSimulator, receiver: Receiver) => {
  const paths = new Map([steadyPath, shakyPath].map(path => [endpointId(`${receiver.url}${path}`), path]))
  return {
    sourceUrl: `${simulator.url}${simulator.pathPrefix}`,
    receiverUrl: receiver.url,
    pathOf: (id: string) => paths.get(id) ?? id,
    domainOf: receiver.domainOf,
  }
}

const signaturesLine = (receiver: Receiver): string =>
  receiver.wrong() === 0
    ? `${receiver.verified()} signatures verified, none wrong.`
    : `${receiver.verified()} signatures verified, ${receiver.wrong()} wrong.`

type Display = { warn(line: string): void; end(): void }

/** A live view where there is a terminal, else plain lines. */
const createDisplay = (of: { output: Output; state: () => DemoState }): Display => {
  const { output, state } = of
  if (output.reporter === null && isLive(process.stdout, process.env)) {
    const view = startLiveView(process.stdout, to => renderDemo(state(), to))
    return once({ warn: view.print, end: view.end })
  }
  const { sourceUrl, receiverUrl } = state()
  output.tell(`Demo: ${sourceUrl} → bridge → ${receiverUrl}; Ctrl-C stops it.`)
  for (const note of notes) output.tell(note)
  const timer = setInterval(() => {
    const { counts, verified, wrong } = state()
    output.tell(`${progressLine(counts)} · signatures: ${verified} verified, ${wrong} wrong`)
  }, plainLineEveryMs)
  return once({ warn: output.warn, end: () => clearInterval(timer) })
}

const once = (display: Display): Display => {
  let isOver = false
  return {
    warn: display.warn,
    end: () => {
      if (!isOver) display.end()
      isOver = true
    },
  }
}

const ended = (signal: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
