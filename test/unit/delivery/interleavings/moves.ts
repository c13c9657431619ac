import { type Mistake, startDispatcher, startReleaser } from './actors.ts'
import type { Call, Programs, Variant } from './programs.ts'
import {
  type Actor,
  die,
  type FaultKind,
  hourMs,
  isDue,
  type Message,
  put,
  removeMessage,
  type World,
} from './world.ts'

/** A step that the world could take next, with the fault that it is, if it is one; done to a copy of the world. */
export type Move = { name: string; fault: FaultKind | null; apply: (next: World) => Promise<void> | void }

/** What starts and moves the code. */
export type Machine = { programs: Programs; mistake: Mistake }

const dispatchersAtOnceMax = 2

/** Everything that can happen next, what is no fault first. */
export const movesOf = (world: World, machine: Machine): Move[] => {
  const calls = world.actors.flatMap(actor =>
    actor.stand.calls.map((entry, index) => ({ actor, entry, index })),
  )
  // What commutes with all else goes first, and alone: its other places in the order lead to the same states.
  const alone = calls.find(({ entry }) => entry.effect === 'none')
  if (alone !== undefined) return movesOfCall(alone, world, machine)
  const moves = [
    ...calls.flatMap(one => movesOfCall(one, world, machine)),
    ...receiving(world, machine),
    ...releasing(world, machine),
  ]
  const free = moves.filter(({ fault }) => fault === null)
  const costly = [...moves.filter(({ fault }) => fault !== null), ...otherFaults(world, machine)]
  if (free.length > 0) costly.push(...goingOn(world))
  else free.push(...advancing(world))
  return [...free, ...costly]
}

type Calling = { actor: Actor; entry: Call; index: number }

/** The call as it should go, as it can go wrong, and with the process dying after it, before the next. */
const movesOfCall = ({ actor, entry, index }: Calling, world: World, machine: Machine): Move[] => {
  const name = `${actor.kind} ${actor.id}: ${entry.name}`
  const go = (variant: Variant) => async (next: World) => {
    const stand = await machine.programs.go({ actor, index, variant, before: world, world: next })
    const moved = next.actors.map(other => (other.id === actor.id ? { ...actor, stand } : other))
    next.actors = moved.filter(other => !other.stand.ended)
  }
  const moves: Move[] = [{ name, fault: null, apply: go('step') }]
  for (const fault of entry.faults) moves.push({ name: `${name} ${fault}`, fault, apply: go(fault) })
  if (entry.effect !== 'change') return moves
  const crash = (next: World): void => {
    entry.apply(next, actor, 'step')
    // Its message stays in flight until its visibility ends.
    die(next, actor)
  }
  moves.push({ name: `${name}, then crash`, fault: 'crash', apply: crash })
  if (world.scenario.local) {
    const kill = (next: World): Promise<void> => {
      entry.apply(next, actor, 'step')
      return restart(next, machine)
    }
    moves.push({ name: `${name}, then kill`, fault: 'kill', apply: kill })
  }
  return moves
}

const receiving = (world: World, machine: Machine): Move[] =>
  receivable(world).flatMap((message): Move[] => {
    const start = (next: World): Promise<void> => startDispatcher(next, message, machine)
    if (message.visibleAtMs > world.nowMs) {
      return [{ name: `receive ${message.id} early`, fault: 'early', apply: start }]
    }
    const twice = (next: World): Promise<void> => {
      put(next, { ...message, delayMs: 0 })
      return start(next)
    }
    const vanish = (next: World): void => removeMessage(next, message.id)
    const moves: Move[] = [
      { name: `receive ${message.id}`, fault: null, apply: start },
      { name: `receive ${message.id}, and keep it`, fault: 'duplicate', apply: twice },
    ]
    // A queue that is made to last loses no message twice; one in memory loses all of them at once ("kill").
    const canVanish = !world.scenario.local && !world.faults.includes('vanish')
    if (canVanish && world.actors.length === 0) {
      moves.push({ name: `message ${message.id} vanishes`, fault: 'vanish', apply: vanish })
    }
    return moves
  })

/** Of messages that are alike one will do; those whose owner let them go are nobody's. */
const receivable = (world: World): Message[] => {
  const dispatchers = world.actors.filter(({ kind }) => kind === 'dispatcher').length
  if (dispatchers >= dispatchersAtOnceMax) return []
  const alike = new Map<string, Message>()
  for (const message of world.messages) {
    if (message.owner === null || message.visibleAtMs <= world.nowMs) {
      const name = JSON.stringify([message.lane, message.body, message.faults])
      if (!alike.has(name)) alike.set(name, message)
    }
  }
  return [...alike.values()]
}

const isReady = ({ endpoint, secretThere }: World): boolean =>
  endpoint.state === 'removed' || (endpoint.state === 'active' && secretThere)

const somethingIsDue = (world: World, atMs: number): boolean =>
  isDue(world, 'waiting', atMs) || (isReady(world) && isDue(world, 'held', atMs))

/** The releaser's run begins a moment after the due time at the soonest. */
const momentMs = 1_000

/** Hourly, once the mark's hour is long enough over. */
export const reconcileAtMs = ({ mark, reconcileNextMs }: World): number =>
  mark === null ? Number.POSITIVE_INFINITY : Math.max(reconcileNextMs, (mark.hour + 1) * hourMs + 75 * 60_000)

const releasing = (world: World, machine: Machine): Move[] => {
  if (world.actors.some(({ kind }) => kind !== 'dispatcher')) return []
  const moves: Move[] = []
  if (somethingIsDue(world, world.nowMs - momentMs)) moves.push(starting('releaser', null, machine))
  // What has a delivery is nothing to it.
  if (world.delivery === null && world.nowMs >= reconcileAtMs(world))
    moves.push(starting('reconcile', null, machine))
  return moves
}

const starting = (kind: 'releaser' | 'reconcile', fault: FaultKind | null, machine: Machine): Move => ({
  name: `start ${kind}`,
  fault,
  apply: next => {
    if (kind === 'reconcile') next.reconcileNextMs = next.nowMs + hourMs
    return startReleaser(next, kind, machine)
  },
})

const otherFaults = (world: World, machine: Machine): Move[] => {
  const moves: Move[] = []
  const [copy] = world.deadLetters
  const nothingRuns = world.actors.every(({ stand }) => stand.calls.every(({ name }) => name === 'delete'))
  if (copy !== undefined && nothingRuns) {
    const apply = (next: World): void => {
      next.deadLetters.shift()
      next.redriven = true
      put(next, { lane: 'fast', body: copy, faults: null, delayMs: 0 })
    }
    moves.push({ name: 'redrive', fault: 'redrive', apply })
  }
  if (
    somethingIsDue(world, world.nowMs - momentMs) &&
    world.actors.filter(({ kind }) => kind === 'releaser').length === 1
  ) {
    moves.push(starting('releaser', 'second releaser', machine))
  }
  const { operator, local } = world.scenario
  if (operator !== null && world.endpoint.state === 'active') {
    const state = operator === 'disables' ? 'disabled' : 'removed'
    const apply = (next: World): void => {
      next.endpoint = { ...next.endpoint, state, stateReason: null }
    }
    moves.push({ name: `an operator ${operator} the endpoint`, fault: 'operator', apply })
  }
  if (local && world.actors.length === 0)
    moves.push({ name: 'kill', fault: 'kill', apply: next => restart(next, machine) })
  return moves
}

/** The process dies, with all that it holds in memory, and starts again on the same table. */
const restart = (world: World, machine: Machine): Promise<void> => {
  for (const actor of world.actors) die(world, actor)
  world.messages = []
  world.deadLetters = []
  // Time passes even for the quickest restart.
  world.nowMs += 1_000
  return startReleaser(world, 'start', machine)
}

/** When something happens next for which nobody acts. */
const nextAtMs = (world: World): number => {
  const times = world.messages.map(({ visibleAtMs }) => visibleAtMs)
  const { delivery } = world
  if (delivery !== null && delivery.dueMs !== null && somethingIsDue(world, delivery.dueMs)) {
    times.push(delivery.dueMs + momentMs)
  }
  if (delivery === null) times.push(reconcileAtMs(world))
  return Math.min(...times.filter(atMs => atMs > world.nowMs))
}

/** Nobody can act: the time passes until somebody can, or an operator puts right what is left. */
const advancing = (world: World): Move[] => {
  const atMs = nextAtMs(world)
  if (atMs < Number.POSITIVE_INFINITY) {
    const apply = (next: World): void => {
      next.nowMs = atMs
    }
    return [{ name: `${(atMs - world.nowMs) / 1000} s later`, fault: null, apply }]
  }
  const { endpoint, secretThere, scenario } = world
  if (!scenario.repaired || (endpoint.state !== 'disabled' && secretThere)) return []
  const apply = (next: World): void => {
    next.secretThere = true
    if (endpoint.state === 'disabled') {
      next.endpoint = { ...endpoint, state: 'active', stateReason: null }
    }
  }
  return [{ name: 'an operator repairs', fault: null, apply }]
}

/** The time passes though somebody could act: a queue that is late, a process that stands still. */
const goingOn = (world: World): Move[] => {
  const atMs = nextAtMs(world)
  if (atMs === Number.POSITIVE_INFINITY) return []
  const apply = (next: World): void => {
    next.nowMs = atMs
  }
  return [{ name: `${(atMs - world.nowMs) / 1000} s late`, fault: 'late', apply }]
}
