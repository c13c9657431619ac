import { BridgeError } from '../../../shared/domain/bridge-error.ts'
import { spentCopies } from '../../../shared/domain/replay/spent-copies.ts'
import type { Session } from '../session.ts'
import type { OperatorBridge } from '../target/operator-bridge.ts'
import { lookWithProgress } from './unreadable.ts'

/**
 * Removes from the dead-letter queue the copies that nobody needs any more, as far as they are found; says how many. What is
 * done in the table is done: where the queue does not answer, that is told and is no failure.
 */
export const removeSpentCopies = async (bridge: OperatorBridge, session: Session): Promise<number> => {
  const { store } = bridge
  try {
    const judge = (messages: Parameters<typeof spentCopies>[0]) =>
      spentCopies(messages, { store, clock: session.clock })
    return (await lookWithProgress(judge, bridge, session)).removed
  } catch (error) {
    if (!(error instanceof BridgeError)) throw error
    session.io.note(
      `The dead-letter queue was not cleaned up: ${error.message}. Copies left there do no harm.`,
    )
    return 0
  }
}

export const copiesText = (removed: number): string =>
  removed === 0 ? '' : ` ${removed.toLocaleString('en-US')} copies were removed from the dead-letter queue.`
