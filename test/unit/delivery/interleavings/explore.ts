import type { Delivery } from '../../../../shared/domain/delivery/delivery.ts'
import type { Mistake } from './actors.ts'
import { checkEnd, checkNow, doublesAllowed } from './checks.ts'
import { movesOf, reconcileAtMs } from './moves.ts'
import { createPrograms } from './programs.ts'
import {
  copyOf,
  createWorld,
  nameOfMessage,
  nameOfState,
  type Scenario,
  violate,
  type World,
} from './world.ts'

export type Explored = {
  /** Different states that were met, steps between them, and how often nothing more could happen. */
  states: number
  steps: number
  ends: number
  /** Different points in which the code was stopped. */
  stands: number
  /** The first thing found wrong, with the steps that led to it; null where nothing is. */
  violation: { what: string; steps: string[] } | null
}

/** Beyond this a way is taken to be without end. */
const stepsMax = 400

type Way = { name: string; length: number; before: Way } | null
type Open = { world: World; way: Way }

/**
 * Takes the real dispatcher and releaser through every order of their calls, with every choice of at most `faultsMax`
 * faults, and checks every state that they come to. What follows from a state does not depend on the way to it, so
 * each is gone on from once: those of fewer faults first, since more may still happen to them.
 */
export const explore = async (of: {
  scenario: Scenario
  faultsMax: number
  mistake?: Mistake
}): Promise<Explored> => {
  const first = createWorld(of.scenario)
  const programs = createPrograms({ scenario: of.scenario, event: first.event })
  const machine = { programs, mistake: of.mistake ?? {} }
  const seen = new Set<string>()
  const open: Open[][] = Array.from({ length: of.faultsMax + 1 }, () => [])
  open[0]?.push({ world: first, way: null })
  const explored: Explored = { states: 0, steps: 0, ends: 0, stands: 0, violation: null }

  for (let next = takeOpen(open); next !== undefined; next = takeOpen(open)) {
    const { world, way } = next
    const name = nameOfWorld(world)
    if (seen.has(name)) continue
    seen.add(name)
    checkNow(world)
    const moves = movesOf(world, machine)
    if (moves[0]?.fault !== null) {
      explored.ends += 1
      checkEnd(world)
    }
    if ((way?.length ?? 0) > stepsMax) violate(world, 'no end')
    if (world.violation !== null) {
      explored.violation = { what: world.violation, steps: stepsOf(way) }
      break
    }
    for (const move of moves) {
      const spent = world.faults.length + (move.fault === null ? 0 : 1)
      if (spent > of.faultsMax) continue
      const after = copyOf(world)
      if (move.fault !== null) after.faults.push(move.fault)
      // Without a kill a local process is like any other, and those are gone through as such.
      const isCovered = of.scenario.local && spent === of.faultsMax && !after.faults.includes('kill')
      if (isCovered && move.fault !== null) continue
      await move.apply(after)
      explored.steps += 1
      open[spent]?.push({
        world: after,
        way: { name: move.name, length: (way?.length ?? 0) + 1, before: way },
      })
    }
  }
  return { ...explored, states: seen.size, stands: programs.size() }
}

const takeOpen = (open: readonly Open[][]): Open | undefined => open.find(({ length }) => length > 0)?.pop()

const stepsOf = (way: Way): string[] => (way === null ? [] : [...stepsOf(way.before), way.name])

/**
 * Everything that decides what can follow, and what is checked then; times as seen from now, since the same follows
 * an hour later.
 */
const nameOfWorld = (world: World): string => {
  const { nowMs, delivery, faults, actors } = world
  const messages = world.messages.map(message => {
    const owner = actors.some(({ id }) => id === message.owner) ? message.owner : 0
    return `${nameOfMessage(message, nowMs)} ${Math.max(0, message.visibleAtMs - nowMs)} ${owner}`
  })
  const acting = actors.map(
    ({ id, stand, startedAtMs, deliveredAtStart }) =>
      `${id} ${stand.name} ${nowMs - startedAtMs} ${deliveredAtStart}`,
  )
  const parts: unknown[] = [
    // Reconcile looks at nothing that has a delivery.
    delivery === null ? reconcileAtMs(world) - nowMs : nameOfDelivery(delivery, nowMs),
    world.endpoint.state,
    world.secretThere,
    world.deadLetters.length,
    Math.min(world.posts, world.scenario.answers.length),
    world.accepted - doublesAllowed(world),
    world.accepted > 0,
    world.redriven,
    world.diedUntold > 0,
    world.untold.join(),
    faults.includes('vanish'),
    ...messages.sort(),
    '|',
    ...acting.sort(),
  ]
  return nameOfState(parts.join('\n'))
}

const nameOfDelivery = (delivery: Delivery, nowMs: number): string => {
  const { state, position, retryAtMs, dueMs, firstFailureAtMs, reason, writeId } = delivery
  const times = [retryAtMs, dueMs, firstFailureAtMs].map(atMs => (atMs === null ? null : atMs - nowMs))
  return `${state} ${position.round} ${position.attempt} ${times.join(' ')} ${reason} ${writeId}`
}
