import { type FaultKind, violate, type World } from './world.ts'

/** Holds at every moment: the delivery is settled, or something will bring it up again (invariant 10). */
export const checkNow = (world: World): void => {
  const { delivery, messages, deadLetters, mark, endpoint } = world
  const settled = delivery?.state === 'delivered' || delivery?.state === 'cancelled'
  // Reconcile sends nothing anew to an endpoint that was taken away.
  if (endpoint.state === 'removed' && delivery === null) return
  const indexed = delivery !== null && delivery.dueMs !== null
  const reconciled = delivery === null && mark !== null
  if (!settled && !indexed && !reconciled && messages.length === 0 && deadLetters.length === 0) {
    violate(world, 'stranded')
  }
  const extra = world.accepted - 1 - doublesAllowed(world)
  if (extra > 0)
    violate(world, `accepted ${world.accepted} times after ${world.faults.join(', ') || 'no fault'}`)
}

/**
 * How often an accepted event may have been POSTed again (invariant 2): for a process that died before it could tell
 * of the success, for one that stood still, for a message handed out twice. Of what else goes wrong it takes two: what
 * makes a second message of one attempt, and what brings both to an end at the same time or loses the success.
 */
export const doublesAllowed = ({ faults, diedUntold }: World): number => {
  const alone = faults.filter(fault => fault === 'duplicate' || fault === 'late').length
  const inPairs = faults.filter(fault => halfFaults.includes(fault)).length
  return diedUntold + alone + inPairs / 2
}
const halfFaults: readonly FaultKind[] = ['fail', 'lost', 'retried', 'vanish', 'early', 'crash', 'kill']

/** Nothing can happen any more: everything has come to where it belongs. */
export const checkEnd = (world: World): void => {
  const state = world.delivery?.state ?? 'none'
  if (!endsOf(world).includes(state)) violate(world, `ends as ${state}`)
  if (world.messages.length > 0) violate(world, 'ends with a message in a lane')
}

const endsOf = (world: World): string[] => {
  const { endpoint, accepted, redriven, diedUntold, faults } = world
  // Who could have told of the success is dead, and another's attempt failed.
  const ends = diedUntold > 0 ? ['dead'] : []
  if (accepted > 0) ends.push('delivered')
  if (endpoint.state === 'removed') return [...ends, 'cancelled', 'none', 'dead']
  if (accepted > 0) return ends
  if (endpoint.state === 'disabled' || !world.secretThere) return ['held', 'dead']
  // A dead letter that is sent again gets its attempts, unless its message is lost: it stays in the table then.
  const isLost = faults.includes('vanish') || faults.includes('kill')
  return redriven && !isLost ? ['delivered'] : ['dead']
}
