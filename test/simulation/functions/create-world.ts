import { indexEntryOf } from '../../../shared/adapters/delivery-index.ts'
import type { Delivery } from '../../../shared/domain/delivery/delivery.ts'
import type { Endpoint, SigningKey } from '../../../shared/domain/endpoint/endpoint.ts'
import { masterSecretName } from '../../../shared/domain/secret-store.ts'
import { activeKeys, formatSecret } from '../../../shared/domain/signing/signing-keys.ts'
import { noServiceFaults } from '../../unit/polling/world/service.ts'
import type { Scheduler } from '../engine/scheduler.ts'
import type { Plan } from '../plan/plan.ts'
import { type CursorRules, createCursorRules } from '../rules/cursor-rules.ts'
import { createLedger } from '../rules/ledger.ts'
import { createDeliveryRules } from '../rules/watch-table.ts'
import { aboutOf, createQueues } from '../twins/queues.ts'
import { createTable, nameOfDelivery } from '../twins/table.ts'
import { createLanes, type Lanes } from './lanes.ts'
import type { Mistake } from './mistake.ts'
import { emptyLanes } from './operators.ts'
import { createSchedules, type Schedules } from './schedules.ts'
import { createServices } from './services.ts'
import { watchEndpoints } from './watch-endpoints.ts'
import type { World } from './world.ts'

/** An index, or a list, may be so old. */
const staleMsMax = 5_000

/** The world of a run, with the functions that work in it. */
export type Simulation = {
  world: World
  lanes: Lanes
  schedules: Schedules
  rules: CursorRules
  /** The endpoints as they are now. */
  endpoints(): ReadonlyMap<string, Endpoint>
  /** Faults and misbehaviour are over, from now on. */
  calm(): void
}

export const createSimulation = async (
  plan: Plan,
  scheduler: Scheduler,
  mistake: Mistake,
): Promise<Simulation> => {
  scheduler.faults = plan.faults
  const ledger = createLedger(scheduler)
  const removed = new Set<string>()
  const services = createServices(plan, scheduler)
  const rules = createCursorRules({ scheduler, ledger, sources: plan.sources, services })
  let endpointsNow: ReadonlyMap<string, Endpoint> = new Map()
  const delivered = createDeliveryRules({
    scheduler,
    ledger,
    table: () => world.table,
    queues: () => world.queues,
    removed,
    schedule: plan.schedule,
    endpoints: () => endpointsNow,
  })
  const changes: { atMs: number; after: Delivery; before: Delivery | null }[] = []
  const table = createTable({
    delivery: (after, before, by) => {
      changes.push({ atMs: scheduler.now(), after, before })
      while ((changes[0]?.atMs ?? scheduler.now()) < scheduler.now() - staleMsMax) changes.shift()
      delivered.written(after, before, by)
    },
    logged: delivered.logged,
    cursor: rules.committed,
    markRemoved: delivered.markRemoved,
    deliveryExpired: delivery => {
      ledger.expired.add(nameOfDelivery(delivery))
      scheduler.note(`${nameOfDelivery(delivery)} expired`)
    },
    eventExpired: ({ id }) => {
      ledger.inLogSince.delete(id)
      scheduler.note(`${id} expired`)
    },
  })
  const queues = createQueues(scheduler, {
    gone: message => {
      const about = aboutOf(message)
      if (about === null || message.decoded.kind !== 'message') return
      delivered.checkStranded(message.decoded.message.endpointId, message.decoded.message.eventId)
    },
    again: ({ decoded }, why) => {
      if (decoded.kind === 'message') ledger.storyOf(decoded.message).causes.add(why)
    },
    late: ({ decoded }) => {
      if (decoded.kind === 'message') ledger.storyOf(decoded.message).causes.add('message_late')
    },
  })
  const secrets = new Map([[masterSecretName, formatSecret(new Uint8Array(32).fill(7))]])
  const keys = new Map<string, readonly SigningKey[]>()
  for (const { endpoint } of plan.endpoints) {
    keys.set(endpoint.id, endpoint.keys)
    for (const { secret, version } of endpoint.keys) {
      if (secret !== null) secrets.set(secret, formatSecret(new Uint8Array(32).fill(version)))
    }
  }
  const forgotten = new Set<string>()
  const lists: { atMs: number; endpoints: Endpoint[] }[] = []
  const plainEndpoints = table.endpoints
  const noteList = async (): Promise<void> => {
    const endpoints = await plainEndpoints.list()
    endpointsNow = new Map(endpoints.map(endpoint => [endpoint.id, endpoint]))
    lists.push({ atMs: scheduler.now(), endpoints })
    while (lists.length > 1 && (lists[1]?.atMs ?? 0) < scheduler.now() - staleMsMax) lists.shift()
  }
  const endpointStore = watchEndpoints(plainEndpoints, { changed: noteList, removed })
  let isCalm = false
  let isArmed = false
  let ids = 0
  const world: World = {
    plan,
    scheduler,
    ledger,
    table: { ...table, endpoints: endpointStore },
    queues,
    services,
    secrets,
    allSecrets: new Map(secrets),
    moods: new Map(plan.endpoints.map(({ endpoint, moods }) => [endpoint.id, { ...moods }])),
    removed,
    mistake,
    dueOf: async query => {
      const entries = await table.store.due(query)
      if (!scheduler.strikes('stale')) return entries
      const sinceMs = scheduler.now() - scheduler.dice.int(0, staleMsMax)
      const byId = new Map(entries.map(entry => [entry.eventId, entry]))
      for (const { atMs, after, before } of changes.toReversed()) {
        if (atMs < sinceMs || after.endpointId !== query.endpointId) continue
        byId.delete(after.eventId)
        const entry = before === null ? null : indexEntryOf(before)
        if (entry?.state === query.state && entry.dueMs <= query.untilMs) byId.set(entry.eventId, entry)
      }
      return [...byId.values()]
    },
    listEndpoints: async () => {
      const now = await plainEndpoints.list()
      if (!scheduler.strikes('stale')) return now
      const sinceMs = scheduler.now() - scheduler.dice.int(0, staleMsMax)
      return structuredClone(lists.findLast(({ atMs }) => atMs <= sinceMs)?.endpoints ?? now)
    },
    notePumped: lane => lanes.notePumped(lane),
    redriven: new Map(),
    armEmptying: () => {
      isArmed = true
    },
    noteSent: () => {
      if (!isArmed) return
      isArmed = false
      const atMs = scheduler.now() + scheduler.dice.int(1, 400)
      scheduler.at(atMs, 'operator', 'empties the lanes', () => emptyLanes(world))
    },
    newId: () => {
      ids += 1
      return `id-${ids}`
    },
    putSecret: (name, text) => {
      secrets.set(name, text)
      world.allSecrets.set(name, text)
    },
    noteKeys: (endpointId, all) => {
      keys.set(endpointId, all)
    },
    keysOf: endpointId => keys.get(endpointId) ?? [],
    noteForgotten: address => {
      forgotten.add(address)
    },
    isForgotten: text => [...forgotten].some(address => text.includes(address)),
    hasSecrets: endpoint => {
      const active = activeKeys(endpoint.keys, scheduler.now())
      return active.length > 0 && active.every(({ secret }) => secrets.has(secret ?? masterSecretName))
    },
    wantsHeartbeats: () => !isCalm,
  }
  for (const { source } of plan.sources) await table.sources.put(source)
  for (const { endpoint } of plan.endpoints) await endpointStore.put(endpoint)
  const lanes = createLanes(world)
  const schedules = createSchedules(world)
  return {
    world,
    lanes,
    schedules,
    rules,
    endpoints: () => endpointsNow,
    calm: () => {
      isCalm = true
      scheduler.faults = { ...scheduler.faults, ...zero(scheduler.faults) }
      for (const service of services.values()) service.faults = noServiceFaults
      for (const moods of world.moods.values()) moods.healedAtMs = scheduler.now()
    },
  }
}

const zero = <T extends Record<string, number>>(of: T) =>
  Object.fromEntries(Object.keys(of).map(key => [key, 0]))
