import type { SQSEvent } from 'aws-lambda'
import { createHandler as createDispatcher } from '../../../functions/dispatcher/handler.ts'
import { createHandler as createPoller, type RunLimits } from '../../../functions/poller/handler.ts'
import { createHandler as createReleaser } from '../../../functions/releaser/handler.ts'
import { createMemorySecretStore } from '../../../shared/adapters/secrets/memory-secret-store.ts'
import type { Lane } from '../../../shared/domain/delivery/delivery-queue.ts'
import { createEndpointCredentials } from '../../../shared/domain/delivery/endpoint-credentials.ts'
import { createEndpointDirectory } from '../../../shared/domain/delivery/endpoint-directory.ts'
import { createHealthKeeper } from '../../../shared/domain/delivery/health-keeper.ts'
import type { Endpoint } from '../../../shared/domain/endpoint/endpoint.ts'
import { runEveryMinutes } from '../../../shared/domain/polling/run-schedule.ts'
import { minuteMs } from '../../../shared/domain/time-units.ts'
import type { Process } from '../engine/process.ts'
import { eventLogOf } from './log-ports.ts'
import { apiOf, senderOf } from './outside-ports.ts'
import { createPort, cursorStoreOf, deliveryStoreOf, endpointStoreOf } from './ports.ts'
import { deadLettersOf, deleterOf, deliveryQueueOf } from './queue-ports.ts'
import { contextOf } from './telemetry.ts'
import type { World } from './world.ts'

export const laneArns = { fast: 'arn:fast', slow: 'arn:slow' } as const satisfies Record<Lane, string>

/** What every function works with, each call a step of its process. As `functions/<name>/index.ts` builds it. */
export const commonDeps = (world: World, process: Process) => {
  const { scheduler, table } = world
  const port = createPort(world, process)
  const clock = scheduler.clockOf(process)
  const { sources, marks, paces, heartbeats, lease, quarantine } = table
  const secrets = createMemorySecretStore({ secrets: world.secrets })
  return {
    clock,
    random: () => scheduler.dice.next(),
    newId: world.newId,
    reporter: world.telemetry.reporter,
    store: deliveryStoreOf(world, process),
    log: eventLogOf(world, process),
    cursors: cursorStoreOf(world, process),
    endpoints: endpointStoreOf(world, process),
    queue: deliveryQueueOf(world, process),
    deadLetters: deadLettersOf(world, process),
    deleter: deleterOf(world, process),
    sources: {
      list: port.read('sources', sources.list),
      read: port.read('source', sources.read),
      put: port.write('put source', sources.put),
      remove: port.write('remove source', sources.remove),
    },
    marks: {
      lower: port.write('mark', marks.lower),
      list: port.read('marks', marks.list),
      remove: port.write('remove mark', marks.remove),
    },
    paces: { read: port.read('pace', paces.read), write: port.write('write pace', paces.write) },
    heartbeats: {
      read: port.read('heartbeat', heartbeats.read),
      count: port.write('count heartbeat', heartbeats.count),
      claim: port.write('claim heartbeat', heartbeats.claim, { repeat: async first => first }),
    },
    lease: {
      take: port.write('take lease', lease.take),
      holds: port.read('holds lease', lease.holds),
      renew: port.write('renew lease', lease.renew),
    },
    quarantine: {
      keep: port.write('quarantine', quarantine.keep),
      read: port.read('quarantined', quarantine.read),
    },
    credentials: createEndpointCredentials({ secrets: { read: port.read('secret', secrets.read) }, clock }),
  }
}

export const pollerOf = (world: World, process: Process) => {
  const common = commonDeps(world, process)
  const everySeconds = Math.min(...world.plan.sources.map(({ source }) => source.pollEverySeconds))
  const deps = {
    ...common,
    endpoints: () => common.endpoints.list(),
    apiOf: apiOf(world, process),
    newRunId: world.newId,
    tickEveryMs: runEveryMinutes(everySeconds) * minuteMs,
  }
  const handler = createPoller(world.mistake.poller?.(deps, { process, world }) ?? deps)
  const told = world.telemetry.around((limits: RunLimits) => handler(null, limits))
  return (limits: RunLimits) => told(limits, contextOf(process))
}

export const dispatcherOf = (world: World, process: Process) => {
  const common = commonDeps(world, process)
  const directory = createEndpointDirectory(common)
  const deps = {
    ...common,
    directory,
    health: createHealthKeeper({ ...common, directory }),
    sender: senderOf(world, process),
    schedule: world.plan.schedule,
    deadlineMs: 15_000,
    laneOfQueue: new Map<string, Lane>([
      [laneArns.fast, 'fast'],
      [laneArns.slow, 'slow'],
    ]),
  }
  const handler = createDispatcher(world.mistake.dispatcher?.(deps, { process, world }) ?? deps)
  const told = world.telemetry.around((event: SQSEvent) => handler(event))
  return (event: SQSEvent) => told(event, contextOf(process))
}

export const releaserOf = (world: World, process: Process) => {
  const common = commonDeps(world, process)
  const deps = {
    ...common,
    operator: {
      tellDisabled: createPort(world, process).write('tell operator', async (told: readonly Endpoint[]) => {
        for (const { id } of told) world.told.push(id)
        return told.map(() => ({ kind: 'told' }) as const)
      }),
    },
    heartbeat: { cursors: common.cursors, heartbeats: common.heartbeats },
    schedule: world.plan.schedule,
    queuesOutlive: true,
    measures: false,
  }
  const handler = createReleaser(world.mistake.releaser?.(deps, { process, world }) ?? deps)
  const told = world.telemetry.around((event: unknown) => handler(event))
  return (event: unknown) => told(event, contextOf(process))
}
