import { createMessageReceiver } from '../../shared/adapters/sqs/message-receiver.ts'
import { faultOf } from '../../shared/domain/bridge-error.ts'
import { lanes } from '../../shared/domain/delivery/delivery-queue.ts'
import type { Endpoint } from '../../shared/domain/endpoint/endpoint.ts'
import type { Reporter } from '../../shared/domain/happenings.ts'
import type { SweepPlan } from '../../shared/domain/polling/sweeps.ts'
import { type Source, streamNames } from '../../shared/domain/source.ts'
import { type ComposedBridge, composeBridge } from './compose-bridge.ts'
import { type Emulators, startEmulators } from './emulators.ts'
import { createEndpointCount } from './endpoint-count.ts'
import { givenSecrets, secretsOf } from './given-secrets.ts'
import { readLaneDepth } from './lane-depth.ts'
import { limitsOf } from './lane-limits.ts'
import { anyIn, readStanding, type Standing } from './left-behind.ts'
import { putNamedEndpoints, toEndpoint } from './named-endpoints.ts'
import { startQueuePump } from './queue-pump.ts'
import { startRuns } from './runs.ts'
import type { BridgeSettings } from './settings.ts'
import { keepSigningSecrets } from './signing-secrets.ts'
import { folderSources, namedSource, refuseTwin, refuseWithoutDatabase } from './sources.ts'
import { enterStateFolder } from './state-folder.ts'

/** Beyond an attempt's deadline, for what follows it: its record, and its message's deletion. */
const settleMs = 3_000

export type StartOptions = {
  reporter: Reporter
  /** Resolves when whoever reads our output can take more; default: at once. */
  admission?: () => Promise<void>
  /** Begin with an empty data folder. */
  fresh?: boolean
  sweeps?: readonly SweepPlan[]
  /** Those of another process, which ends them; default: in this one, on the data folder. */
  emulators?: Omit<Emulators, 'close'>
  /** Between two looks whose heartbeat is due; for tests, which do not wait for a minute. */
  heartbeatsEveryMs?: number
}

export type RunningBridge = {
  /** Those that are polled: the one that is named, and what the operator's command added. */
  sources: readonly Source[]
  /** Those that are named; with none, the active ones of the folder. */
  endpoints: readonly Endpoint[]
  /** Endpoints of earlier starts: what is for them is held. */
  notNamed: readonly Endpoint[]
  /** Where a person finds the secrets of the endpoints that have none of their own. */
  secretsPath: string
  /** What earlier starts left, at this one's begin. */
  left: { standing: readonly Standing[]; andMore: boolean }
  /** The rest of the run reads nothing new. */
  stopPolling(): Promise<void>
  /** Whether every delivery is delivered, held or dead. */
  isSettled(): Promise<boolean>
  hasDeadLetters(): Promise<boolean>
  /** Ends what is under way within the attempts' deadline, and leaves the data folder. May be called again. */
  stop(): Promise<void>
}

/**
 * Starts the whole bridge in this process. Throws a `DataFolderError` where the data folder can't be used; whatever was
 * started is ended then.
 */
export const startBridge = async (
  settings: BridgeSettings,
  options: StartOptions,
): Promise<RunningBridge> => {
  const source = namedSource(settings)
  if (source === null) refuseWithoutDatabase(settings.dataDir)
  const named = settings.endpoints.map(toEndpoint)
  // Ended in the opposite order, whether here or by `stop`.
  await using starting = new AsyncDisposableStack()
  const folder = await enterStateFolder({
    dataDir: settings.dataDir,
    source,
    ...(options.fresh !== undefined && { fresh: options.fresh }),
  })
  starting.defer(() => folder.leave())
  const master = keepSigningSecrets(settings.dataDir, [])
  const emulators = options.emulators ?? (await ownEmulators(settings.dataDir, starting))
  const { dynamodb, sqs, queueUrls } = emulators
  folder.announce({ startedAt: new Date().toISOString(), dynamodb, sqs, queueUrls })

  const { reporter, admission = () => Promise.resolve() } = options
  const given = new Map([...master.secrets, ...givenSecrets(settings, source, named)])
  const { secrets, replaceKept } = secretsOf(settings.dataDir, given)
  const bridge = composeBridge({ ...options, settings, emulators, secrets, admission })
  starting.defer(() => bridge.close())
  const ofFolder = { store: bridge.sources, secrets, dataDir: settings.dataDir }
  if (source !== null) {
    await refuseTwin(source, ofFolder).catch(error => {
      folder.disown()
      throw error
    })
    await replaceKept()
    await bridge.sources.put(source)
  }
  const sources = await folderSources(ofFolder)
  const { endpoints, notNamed } = await putNamedEndpoints(named, {
    store: bridge.endpoints,
    nowMs: bridge.clock.now(),
  })
  const kept = keepSigningSecrets(settings.dataDir, endpoints.flatMap(withDerivedKey))
  const left = await readStanding(bridge)

  const pumps = startPumps({ bridge, queueUrls, reporter, admission, settings })
  const stopWithinMs = settings.deadlineMs + settleMs
  starting.defer(async () => {
    await Promise.all(pumps.map(pump => pump.stop(stopWithinMs)))
  })
  const runs = startRuns({
    bridge,
    depth: () => readLaneDepth({ client: bridge.queueClient, queueUrls }),
    onFault: tellFault(sources, reporter),
    ...(options.heartbeatsEveryMs !== undefined && { heartbeatsEveryMs: options.heartbeatsEveryMs }),
  })
  starting.defer(() => runs.stop(stopWithinMs))

  const running = starting.move()
  let stopped: Promise<void> | null = null
  return {
    sources,
    endpoints: source === null ? await activeOf(bridge) : endpoints,
    notNamed,
    secretsPath: kept.path,
    left: { standing: left.standing, andMore: left.andMore },
    stopPolling: () => runs.stopPolling(),
    isSettled: async () => {
      // In this order: what is handled right now is still in its queue, and where it is not, its outcome is in the table.
      if (!runs.hasStarted() || !pumps.every(pump => pump.isIdle())) return false
      const { ready, delayed } = await readLaneDepth({ client: bridge.queueClient, queueUrls })
      if (ready + delayed > 0) return false
      // What waits for an endpoint that is disabled will be held: nothing is to be waited for.
      return !(await anyIn('waiting', bridge, 'active'))
    },
    hasDeadLetters: () => anyIn('dead', bridge),
    stop: () => {
      stopped ??= running.disposeAsync()
      return stopped
    },
  }
}

const ownEmulators = async (dataDir: string, starting: AsyncDisposableStack): Promise<Emulators> => {
  const emulators = await startEmulators({ dataDir })
  starting.defer(() => emulators.close())
  return emulators
}

const activeOf = async ({ endpoints }: ComposedBridge): Promise<Endpoint[]> =>
  (await endpoints.list()).filter(({ state }) => state === 'active')

/** What a person finds in the folder is the secret of the newest key version, where that is derived. */
const withDerivedKey = ({ id, url, keys }: Endpoint) => {
  const [newest] = keys.toSorted((one, other) => other.version - one.version)
  return newest?.secret === null ? [{ id, url, keyVersion: newest.version }] : []
}

const startPumps = (of: {
  bridge: ComposedBridge
  queueUrls: Readonly<Record<(typeof lanes)[number], string>>
  reporter: Reporter
  admission: () => Promise<void>
  settings: Pick<BridgeSettings, 'deadlineMs' | 'endpoints'>
}) => {
  const endpoints = createEndpointCount(of.bridge.endpoints, of.settings.endpoints.length)
  return lanes.map(lane =>
    startQueuePump({
      lane,
      receiver: createMessageReceiver({ client: of.bridge.queueClient, queueUrl: of.queueUrls[lane] }),
      deleter: of.bridge.deleter,
      handler: of.bridge.dispatcher,
      ...{ reporter: of.reporter, clock: of.bridge.clock, admission: of.admission },
      limits: limitsOf(lane, of.settings.deadlineMs),
      ...(lane === 'fast' && { overflow: { queue: of.bridge.queue, endpoints } }),
    }),
  )
}

const tellFault =
  (sources: readonly Source[], reporter: Reporter) =>
  (of: 'poller' | 'releaser', error: unknown): void => {
    const { reason, hint } = faultOf(error)
    if (of === 'releaser') {
      reporter.report({ kind: 'fault', event: null, endpoint: null, reason, hint, delayMs: 0 })
      return
    }
    for (const source of sources) {
      for (const stream of streamNames) {
        reporter.report({ kind: 'poll_fault', source: source.id, stream, reason, hint })
      }
    }
  }
