import type { Endpoint, SigningKey } from '../../../shared/domain/endpoint/endpoint.ts'
import { masterSecretName } from '../../../shared/domain/secret-store.ts'
import { activeKeys } from '../../../shared/domain/signing/signing-keys.ts'
import { noServiceFaults } from '../../unit/polling/world/service.ts'
import type { Scheduler } from '../engine/scheduler.ts'
import type { Plan } from '../plan/plan.ts'
import { type CursorRules, createCursorRules } from '../rules/cursor-rules.ts'
import { createLeakRule } from '../rules/leaks.ts'
import { createLedger } from '../rules/ledger.ts'
import { createDeliveryRules } from '../rules/watch-table.ts'
import { aboutOf, createQueues } from '../twins/queues.ts'
import { createTable, nameOfDelivery } from '../twins/table.ts'
import { createLanes, type Lanes } from './lanes.ts'
import type { Mistake } from './mistake.ts'
import { emptyLanes } from './operators.ts'
import { createSchedules, type Schedules } from './schedules.ts'
import { secretsAtStart } from './secrets.ts'
import { createServices, refusedEvents } from './services.ts'
import { createStaleViews } from './stale-views.ts'
import { searchedTelemetry } from './telemetry.ts'
import { watchEndpoints } from './watch-endpoints.ts'
import type { World } from './world.ts'

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
  const secrets = secretsAtStart(plan.endpoints)
  const allSecrets = new Map(secrets)
  const leaks = createLeakRule({ scheduler, secrets: allSecrets })
  const removed = new Set<string>()
  const services = createServices(plan, scheduler)
  const refused = refusedEvents(plan)
  const rules = createCursorRules({ scheduler, ledger, sources: plan.sources, services, refused })
  let endpointsNow: ReadonlyMap<string, Endpoint> = new Map()
  const delivered = createDeliveryRules({
    scheduler,
    ledger,
    leaks,
    table: () => world.table,
    queues: () => world.queues,
    removed,
    schedule: plan.schedule,
    endpoints: () => endpointsNow,
  })
  const table = createTable({
    delivery: (after, before, by) => {
      views.noteDelivery(after, before)
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
      ledger.recordedAtMs.delete(id)
      ledger.seenAtStart.delete(id)
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
  const keys = new Map<string, readonly SigningKey[]>()
  for (const { endpoint } of plan.endpoints) {
    keys.set(endpoint.id, endpoint.keys)
  }
  const forgotten = new Set<string>()
  const plainEndpoints = table.endpoints
  const views = createStaleViews(scheduler, { ...table.store, endpoints: plainEndpoints.list })
  const noteList = async (): Promise<void> => {
    const endpoints = await plainEndpoints.list()
    endpointsNow = new Map(endpoints.map(endpoint => [endpoint.id, endpoint]))
    views.noteEndpoints(endpoints)
  }
  const endpointStore = watchEndpoints(plainEndpoints, { changed: noteList, removed })
  let isCalm = false
  let isArmed = false
  let ids = 0
  const world: World = {
    plan,
    scheduler,
    ledger,
    leaks,
    telemetry: searchedTelemetry(leaks, () => {
      world.lines += 1
    }),
    lines: 0,
    table: { ...table, endpoints: endpointStore },
    queues,
    services,
    secrets,
    allSecrets,
    moods: new Map(plan.endpoints.map(({ endpoint, moods }) => [endpoint.id, { ...moods }])),
    told: [],
    removed,
    refused,
    mistake,
    dueOf: views.dueOf,
    eventIdsOf: views.eventIdsOf,
    listEndpoints: views.listEndpoints,
    notePumped: lane => lanes.notePumped(lane),
    redriven: new Map(),
    armEmptying: () => {
      isArmed = true
    },
    noteSent: () => {
      if (!isArmed) return
      isArmed = false
      const atMs = scheduler.now() + scheduler.dice.int(1, 150)
      scheduler.at(atMs, 'operator', 'empties the lanes', () => emptyLanes(world))
    },
    newId: () => {
      ids += 1
      return `id-${ids}`
    },
    putSecret: (name, text) => {
      secrets.set(name, text)
      allSecrets.set(name, text)
    },
    noteKeys: (endpointId, all) => {
      keys.set(endpointId, all)
    },
    keysOf: endpointId => keys.get(endpointId) ?? [],
    noteAdded: ({ endpoint, moods }) => {
      keys.set(endpoint.id, endpoint.keys)
      // Whoever added it may have begun before the faults were over.
      world.moods.set(endpoint.id, isCalm ? { ...moods, healedAtMs: scheduler.now() } : { ...moods })
      ledger.addedAtMs.set(endpoint.id, scheduler.now())
    },
    isRefused: eventId => !isCalm && scheduler.now() < plan.refusesUntilMs && refused.has(eventId),
    noteForgotten: address => {
      forgotten.add(address)
    },
    isForgotten: text => [...forgotten].some(address => text.includes(address)),
    hasSecrets: endpoint => {
      const active = activeKeys(endpoint.keys, scheduler.now())
      const { authorization } = endpoint
      if (authorization !== null && !secrets.has(authorization.secret)) return false
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
