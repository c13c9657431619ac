import { BridgeError } from '../bridge-error.ts'
import type { DeliveryQueue } from './delivery-queue.ts'
import { sendOne } from './own-fault.ts'
import type { ReceivedMessage } from './received-message.ts'

/** A lane did not take a message that belongs there. */
export class ForwardError extends BridgeError {}

/** To the lane where the endpoint's slowness hurts nobody; unattempted, so with the same body and fault count. */
export const forward = async (
  { body, faults }: ReceivedMessage,
  endpointId: string,
  { queue }: { queue: DeliveryQueue },
): Promise<void> => {
  const entry = { lane: 'slow', group: endpointId, body, delayMs: 0, faults } as const
  const result = await sendOne(() => queue.send([entry]))
  if (result.kind === 'sent') return
  throw new ForwardError({
    code: 'queue_failed',
    message: `the slow lane did not take a message: ${result.reason}`,
    hint: 'If it lasts, check the slow queue, the network and the role.',
  })
}
