import { type Source, streamNames } from '../../../shared/domain/source.ts'
import type { OperatorBridge } from '../target/operator-bridge.ts'

export type Refusal = { message: string; hint: string }

/** Why a source can't be removed now, as `bridge source remove` would say; null where it can. */
export const sourceRemovalRefusal = async (
  { marks }: OperatorBridge,
  { id, state }: Source,
): Promise<Refusal | null> => {
  if (state === 'active') {
    return { message: 'it is being polled', hint: `Pause it first: bridge source pause ${id}.` }
  }
  for (const stream of streamNames) {
    // Reconcile goes by the sources that there are: a message that got lost would never be missed.
    const [mark] = await marks.list({ sourceId: id, stream, fromHour: 0, limit: 1 })
    if (mark === undefined) continue
    return {
      message: 'what it read lately has not been compared with its deliveries yet',
      hint: 'Try again in two or three hours: reconcile runs every hour; locally, while the bridge runs.',
    }
  }
  return null
}
