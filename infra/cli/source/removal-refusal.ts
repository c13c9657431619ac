import { type Source, streamNames } from '../../../shared/domain/source.ts'
import type { OperatorBridge } from '../target/operator-bridge.ts'

export type RemovalRefusal = { code: string; message: string; hint: string }

/**
 * Why a source can't be removed now; null where it can. Reconcile goes by the sources that there are: what a source
 * enqueued lately must have been compared before it goes, or a message that got lost would never be missed.
 */
export const removalRefusal = async (
  { marks }: OperatorBridge,
  { id, state }: Source,
  /** As the message names it: `it`. */
  name: string,
): Promise<RemovalRefusal | null> => {
  if (state === 'active') {
    return {
      code: 'source_active',
      message: `${name} is being polled`,
      hint: `Pause it first: bridge source pause ${id}.`,
    }
  }
  for (const stream of streamNames) {
    const [mark] = await marks.list({ sourceId: id, stream, fromHour: 0, limit: 1 })
    if (mark === undefined) continue
    return {
      code: 'source_not_reconciled',
      message: `what ${name} read lately has not been compared with its deliveries yet`,
      hint: 'Try again in two or three hours: reconcile runs every hour; locally, while the bridge runs.',
    }
  }
  return null
}
