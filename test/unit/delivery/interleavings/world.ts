import { hash } from 'node:crypto'
import type { Delivery, IndexedState } from '../../../../shared/domain/delivery/delivery.ts'
import { encodeMessage } from '../../../../shared/domain/delivery/delivery-message.ts'
import type { FaultCount, Lane } from '../../../../shared/domain/delivery/delivery-queue.ts'
import type { WriteCondition } from '../../../../shared/domain/delivery/delivery-store.ts'
import { rank } from '../../../../shared/domain/delivery/position.ts'
import type { Endpoint } from '../../../../shared/domain/endpoint/endpoint.ts'
import { endpointDefaults } from '../../../../shared/domain/endpoint/endpoint.ts'
import { eventDay, eventId } from '../../../../shared/domain/feedback/event-id.ts'
import type { LoggedEvent } from '../../../../shared/domain/polling/event-log.ts'
import { messageFromLog } from '../../../../shared/domain/release/message-from-log.ts'
import type { ReconcileMark } from '../../../../shared/domain/release/reconcile-marks.ts'

import type { Stand } from './programs.ts'

// One event, one endpoint, one delivery; everything is a plain value, so that a state has a name.

export const startMs = Date.UTC(2026, 10, 20, 9, 20)
export const hourMs = 3_600_000
/** Longer than an attempt may take. */
export const visibilityMs = 90_000

export type Answer = 'ok' | 'fail' | 'gone'

export type Scenario = {
  /** Milliseconds to wait after each failed attempt; after the last one's failure, dead letter. */
  schedule: readonly number[]
  /** What the endpoint answers to its first, second, … POST; the last one for ever. */
  answers: readonly Answer[]
  endpointState: Endpoint['state']
  slow: boolean
  secretThere: boolean
  /** Once nothing else can happen, an operator enables the endpoint and restores its secret. */
  repaired: boolean
  /** A fault: an operator disables, or removes, the endpoint in the middle. */
  operator: 'disables' | 'removes' | null
  /** The process can be killed, and its queues with it. */
  local: boolean
}

export type Message = {
  id: number
  lane: Lane
  body: string
  faults: FaultCount | null
  visibleAtMs: number
  /** The actor that has it now; null where it waits. */
  owner: number | null
}

export const faultKinds = [
  'fail',
  'lost',
  'retried',
  'crash',
  'duplicate',
  'early',
  'late',
  'vanish',
  'redrive',
  'second releaser',
  'operator',
  'kill',
] as const
export type FaultKind = (typeof faultKinds)[number]
/** A process: a dispatcher with one message, a run of the releaser. */
export type Actor = {
  id: number
  kind: 'dispatcher' | 'releaser' | 'reconcile' | 'start'
  /** Where its code stands. */
  stand: Stand
  startedAtMs: number
  deliveredAtStart: boolean
}

export type World = {
  scenario: Scenario
  nowMs: number
  delivery: Delivery | null
  endpoint: Endpoint
  secretThere: boolean
  event: LoggedEvent
  mark: ReconcileMark | null
  reconcileNextMs: number
  messages: Message[]
  deadLetters: string[]
  actors: Actor[]
  posts: number
  accepted: number
  /** Who had an answer of success that no write has told yet; and how many died with one. */
  untold: number[]
  diedUntold: number
  redriven: boolean
  faults: FaultKind[]
  /** What is wrong, once something is. */
  violation: string | null
  nextId: number
}

const sourceId = 'main'
const stream = 'bounces'

export const createWorld = (scenario: Scenario): World => {
  const second = startMs / 1000 - 60
  const id = eventId({ sourceId, stream, uuid: 'one', second })
  const event: LoggedEvent = {
    id,
    sourceId,
    stream,
    type: 'email.bounce.hard',
    recordId: 'one',
    second,
    body: '{}',
    endpointIds: ['endpoint'],
    loggedAtMs: startMs,
    expiresAtSeconds: startMs / 1000 + 35 * 86_400,
  }
  const world: World = {
    scenario,
    nowMs: startMs,
    delivery: null,
    endpoint: {
      ...endpointDefaults,
      id: 'endpoint',
      url: 'https://receiver.example/hook',
      types: ['*'],
      keys: [{ version: 1, secret: 'own', signsUntilMs: null }],
      state: scenario.endpointState,
      slow: scenario.slow,
    },
    secretThere: scenario.secretThere,
    event,
    mark: {
      sourceId,
      stream,
      hour: Math.floor(startMs / hourMs),
      day: eventDay(id),
      lowestId: id,
    },
    reconcileNextMs: 0,
    messages: [],
    deadLetters: [],
    actors: [],
    posts: 0,
    accepted: 0,
    untold: [],
    diedUntold: 0,
    redriven: false,
    faults: [],
    violation: null,
    nextId: 1,
  }
  const first = { event, endpointId: 'endpoint', position: { round: 1, attempt: 1 } }
  put(world, { lane: 'fast', body: encodeMessage(messageFromLog(first)), faults: null, delayMs: 0 })
  return world
}

export const put = (
  world: World,
  of: { lane: Lane; body: string; faults: FaultCount | null; delayMs: number },
): void => {
  const { lane, body, faults } = of
  const visibleAtMs = world.nowMs + of.delayMs
  world.messages.push({ id: world.nextId++, lane, body, faults, visibleAtMs, owner: null })
}

export const violate = (world: World, what: string): void => {
  world.violation ??= what
}

/** The table's conditional write, with what no write may ever do. */
export const write = (world: World, delivery: Delivery, condition: WriteCondition): 'written' | 'refused' => {
  const before = world.delivery
  if (!holds(before, condition)) return 'refused'
  if (before !== null && rank(delivery.position) < rank(before.position) && delivery.state !== 'delivered') {
    violate(world, `the position went back to ${delivery.position.attempt}`)
  }
  if (before?.state === 'delivered') violate(world, `${delivery.state} was written over delivered`)
  const indexed = delivery.state === 'waiting' || delivery.state === 'held' || delivery.state === 'dead'
  if (indexed !== (delivery.dueMs !== null)) violate(world, `${delivery.state} with due ${delivery.dueMs}`)
  world.delivery = delivery
  return 'written'
}

const holds = (before: Delivery | null, condition: WriteCondition): boolean => {
  if (condition.kind === 'unchanged') return before?.writeId === condition.writeId
  if (before === null) return true
  if (before.state === 'delivered' || rank(before.position) >= condition.rank) return false
  return condition.kind === 'round_not_passed' || before.state !== 'cancelled'
}

export const isDue = (world: World, state: IndexedState, untilMs: number): boolean =>
  world.delivery?.state === state && world.delivery.dueMs !== null && world.delivery.dueMs <= untilMs

/** The same world, to be changed on its own. What a world holds is replaced, never changed. */
export const copyOf = (world: World): World => ({
  ...world,
  messages: [...world.messages],
  deadLetters: [...world.deadLetters],
  actors: [...world.actors],
  faults: [...world.faults],
})

/** A process dies: only what it has written, sent and POSTed remains. */
export const die = (world: World, actor: Actor): void => {
  if (world.untold.includes(actor.id)) world.diedUntold += 1
  world.untold = world.untold.filter(id => id !== actor.id)
  world.actors = world.actors.filter(({ id }) => id !== actor.id)
}

export const replaceMessage = (world: World, message: Message): void => {
  world.messages = world.messages.map(other => (other.id === message.id ? message : other))
}

export const removeMessage = (world: World, id: number): void => {
  world.messages = world.messages.filter(message => message.id !== id)
}

/**
 * Names what a delivery or a message is without what no rule looks at, and its times as seen from now: what follows
 * is the same an hour later.
 */
export const timesRelativeTo =
  (nowMs: number) =>
  (key: string, value: unknown): unknown => {
    if (key === 'updatedAtMs' || key === 'attempts' || key === 'tookMs') return undefined
    if (key.endsWith('Ms') && typeof value === 'number') return value - nowMs
    return value
  }

/** What of a message decides what becomes of it. */
export const nameOfMessage = ({ lane, body, faults }: Message, nowMs: number): string => {
  let name = bodyNames.get(body)
  if (name === undefined) {
    name = nameOfState(body.replace(/"(atMs|tookMs)":\d+/g, ''))
    bodyNames.set(body, name)
  }
  return `${lane} ${name} ${faults === null ? '' : `${faults.count} ${faults.sinceMs - nowMs}`}`
}
const bodyNames = new Map<string, string>()

/** A short name for a state. */
export const nameOfState = (text: string): string => hash('sha1', text, 'base64')
