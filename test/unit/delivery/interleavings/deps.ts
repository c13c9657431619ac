import type { HandlerDeps } from '../../../../functions/releaser/handler.ts'
import { createMemoryHeartbeatStore } from '../../../../shared/adapters/memory/heartbeat-store.ts'
import { createMemoryPaceStore } from '../../../../shared/adapters/memory/pace-store.ts'
import { BridgeError } from '../../../../shared/domain/bridge-error.ts'
import type { Clock } from '../../../../shared/domain/clock.ts'
import type { Delivery } from '../../../../shared/domain/delivery/delivery.ts'
import type {
  DeadLetterQueue,
  DeliveryQueue,
  EntryResult,
} from '../../../../shared/domain/delivery/delivery-queue.ts'
import type { DeliveryStore } from '../../../../shared/domain/delivery/delivery-store.ts'
import type { DispatcherDeps } from '../../../../shared/domain/delivery/dispatch.ts'
import { createEndpointCredentials } from '../../../../shared/domain/delivery/endpoint-credentials.ts'
import { createEndpointDirectory } from '../../../../shared/domain/delivery/endpoint-directory.ts'
import { createHealthKeeper } from '../../../../shared/domain/delivery/health-keeper.ts'
import type { WebhookSender } from '../../../../shared/domain/delivery/webhook-sender.ts'
import type { EndpointStore } from '../../../../shared/domain/endpoint/endpoint-store.ts'
import type { EventLog } from '../../../../shared/domain/polling/event-log.ts'
import type { ReconcileMarks } from '../../../../shared/domain/release/reconcile-marks.ts'
import { formatSecret } from '../../../../shared/domain/signing/signing-keys.ts'
import { sourceDefaults } from '../../../../shared/domain/source.ts'
import type { SourceStore } from '../../../../shared/domain/source-store.ts'
import { call, type Process } from './programs.ts'
import { type Actor, isDue, put, violate, type World, write } from './world.ts'

const secret = formatSecret(new Uint8Array(32).fill(7))

/** What a dispatcher works with: the world's parts, each call a point where the process can be stopped. */
export const dispatcherDeps = (process: Process): DispatcherDeps => {
  const common = commonDeps(process)
  const directory = createEndpointDirectory(common)
  const random = () => 0.5
  return {
    ...common,
    directory,
    health: createHealthKeeper({ ...common, directory, random }),
    paces: createMemoryPaceStore(),
    heartbeats: createMemoryHeartbeatStore(),
    deadLetters: deadLettersOf(process),
    deleter: { deleteMessages: async () => {} },
    sender: senderOf(process),
    random,
    schedule: process.scenario.schedule,
    deadlineMs: 15_000,
  }
}

export const releaserDeps = (process: Process): HandlerDeps => ({
  ...commonDeps(process),
  operator: { tellDisabled: async () => [] },
  heartbeat: null,
  sources: sourcesOf(process),
  log: logOf(process),
  marks: marksOf(process),
  queuesOutlive: !process.scenario.local,
  schedule: process.scenario.schedule,
})

const commonDeps = (process: Process) => {
  const clock: Clock = {
    now: () => process.nowMs,
    sleep: (_, signal) =>
      new Promise(resolve => signal?.addEventListener('abort', () => resolve(), { once: true })),
  }
  let ids = 0
  return {
    clock,
    reporter: { report: () => {} },
    store: storeOf(process),
    endpoints: endpointsOf(process),
    queue: queueOf(process),
    newId: () => `${process.id}-${++ids}`,
    credentials: createEndpointCredentials({ secrets: secretsOf(process), clock }),
  }
}

const storeOf = (process: Process): DeliveryStore => ({
  readMany: () =>
    call(process, {
      name: 'readMany',
      effect: 'read',
      apply: (world): Delivery[] => (world.delivery === null ? [] : [world.delivery]),
      faults: ['fail'],
    }),
  read: () =>
    call(process, { name: 'read', effect: 'read', apply: world => world.delivery, faults: ['fail'] }),
  write: (delivery, condition) =>
    call(process, {
      name: `write ${delivery.state}`,
      effect: 'change',
      apply: (world, actor) => {
        const result = write(world, delivery, condition)
        if (delivery.state === 'delivered') world.untold = world.untold.filter(id => id !== actor.id)
        return result
      },
      faults: ['fail', 'lost', 'retried'],
    }),
  moveDue: (entry, toDueMs) => {
    const apply = (world: World): Delivery | null => {
      const { delivery } = world
      if (delivery?.state !== entry.state || delivery.dueMs !== entry.dueMs) return null
      world.delivery = { ...delivery, dueMs: toDueMs }
      return world.delivery
    }
    return call(process, {
      name: 'moveDue',
      effect: 'change',
      apply,
      faults: ['fail', 'lost', 'retried'],
    })
  },
  due: ({ endpointId, state, untilMs }) => {
    const apply = (world: World) => {
      const { delivery } = world
      if (!isDue(world, state, untilMs) || !delivery || delivery.dueMs === null) return []
      return [{ endpointId, eventId: delivery.eventId, state, dueMs: delivery.dueMs }]
    }
    return call(process, { name: `due ${state}`, effect: 'read', apply, faults: ['fail'] })
  },
  eventIds: async () => {
    const apply = (world: World) => (world.delivery === null ? [] : [world.delivery.eventId])
    return new Set(await call(process, { name: 'eventIds', effect: 'read', apply, faults: ['fail'] }))
  },
})

const endpointsOf = (process: Process): EndpointStore => ({
  list: () =>
    call(process, {
      name: 'endpoints',
      effect: endpointReads(process),
      apply: world => [world.endpoint],
      faults: ['fail'],
    }),
  read: () =>
    call(process, {
      name: 'endpoint',
      effect: endpointReads(process),
      apply: world => world.endpoint,
      faults: ['fail'],
    }),
  put: async () => {},
  setState: ({ state, reason }) => {
    const apply = (world: World): boolean => {
      if (world.endpoint.state === state) return false
      world.endpoint = { ...world.endpoint, state, stateReason: reason }
      return true
    }
    return call(process, {
      name: 'setState',
      effect: 'change',
      apply,
      faults: ['fail', 'lost', 'retried'],
    })
  },
  setSlow: async () => {},
  // What is counted of an endpoint decides nothing of what is explored here.
  writeHealth: async () => true,
  untold: async () => [],
  setTold: async () => {},
})

/** Where no one changes the endpoint in the middle, it does not matter when it is read. */
const endpointReads = ({ scenario }: Process): 'read' | 'none' =>
  scenario.operator !== null || scenario.answers.includes('gone') ? 'read' : 'none'

const queueOf = (process: Process): DeliveryQueue => ({
  send: entries =>
    call(process, {
      name: 'send',
      effect: 'change',
      apply: (world, actor) => {
        for (const entry of entries) put(world, entry)
        // What is put off after a success carries it.
        world.untold = world.untold.filter(id => id !== actor.id)
        return entries.map((): EntryResult => ({ kind: 'sent' }))
      },
      faults: ['fail', 'lost'],
      unsent: entries.map((): EntryResult => ({ kind: 'failed', reason: 'unavailable' })),
    }),
})

const deadLettersOf = (process: Process): DeadLetterQueue => ({
  send: entries =>
    call(process, {
      name: 'dead letter',
      effect: 'change',
      apply: world => {
        world.deadLetters.push(...entries.map(({ body }) => body))
        return entries.map((): EntryResult => ({ kind: 'sent' }))
      },
      faults: ['fail', 'lost'],
      unsent: entries.map((): EntryResult => ({ kind: 'failed', reason: 'unavailable' })),
    }),
})

const statuses = { ok: 200, fail: 503, gone: 410 } as const

const senderOf = (process: Process): WebhookSender => ({
  send: ({ headers }) => {
    const apply = (world: World, actor: Actor) => {
      const { answers } = world.scenario
      const answer = answers[Math.min(world.posts, answers.length - 1)] ?? 'ok'
      if (actor.deliveredAtStart) violate(world, 'POSTed though it was recorded as delivered before')
      if (headers['webhook-id'] !== world.event.id) violate(world, 'POSTed under another id')
      world.posts += 1
      if (answer === 'ok') {
        world.accepted += 1
        world.untold = [...world.untold, actor.id]
      }
      const status = statuses[answer]
      return { kind: 'answered', status, tookMs: 10, retryAtMs: null, answer: '' } as const
    }
    return call(process, { name: 'POST', effect: 'change', apply, faults: [] })
  },
})

const secretsOf = (process: Process) => ({
  read: async (): Promise<string> => {
    const apply = (world: World) => world.secretThere
    if (await call(process, { name: 'secret', effect: 'none', apply, faults: ['fail'] })) return secret
    throw new BridgeError({ code: 'secret_missing', message: 'none', hint: 'This is a test.' })
  },
})

const sourcesOf = ({ event }: Process): SourceStore => {
  const source = {
    ...sourceDefaults,
    id: event.sourceId,
    baseUrl: 'https://service.example',
    tokenSecret: 'token',
  }
  return { list: async () => [source], read: async () => source, put: async () => {}, remove: async () => {} }
}

const logOf = (process: Process): EventLog => {
  const { event } = process
  return {
    idsInRange: async () => [event.id],
    existing: async () => new Set([event.id]),
    record: async () => new Set(),
    newestOfDay: async () => [event],
    read: () => call(process, { name: 'log', effect: 'none', apply: () => event, faults: ['fail'] }),
    pageOfDay: () => {
      const apply = () => ({ events: [event], unreadable: [], nextFromId: null })
      return call(process, { name: 'page', effect: 'none', apply, faults: ['fail'] })
    },
  }
}

const marksOf = (process: Process): ReconcileMarks => ({
  lower: async () => {
    throw new Error('there is nothing to lower')
  },
  list: ({ stream }) => {
    const apply = ({ mark }: World) => (mark !== null && stream === mark.stream ? [mark] : [])
    return call(process, { name: 'marks', effect: 'none', apply, faults: [] })
  },
  remove: async () => {
    const apply = (world: World): boolean => {
      world.mark = null
      return true
    }
    await call(process, { name: 'unmark', effect: 'change', apply, faults: ['fail', 'lost'] })
  },
})
