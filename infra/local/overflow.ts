import type { SQSRecord } from 'aws-lambda'
import { BridgeError, faultOf } from '../../shared/domain/bridge-error.ts'
import type { Clock } from '../../shared/domain/clock.ts'
import type { DeliveryQueue, QueueEntry } from '../../shared/domain/delivery/delivery-queue.ts'
import { readFaults } from '../../shared/domain/delivery/fault-attributes.ts'
import type { Reporter } from '../../shared/domain/happenings.ts'

/** How often a lane is looked at that has next to no room in hand. */
const lookAgainMs = 100
/** After a slow lane that did not take something. */
const forwardAgainMs = 1_000

/** The slow lane did not take what the fast one has no room for. */
export class OverflowError extends BridgeError {}

/**
 * Sends on to the slow lane what an endpoint keeps others out with, until `signal` ends it: a pace just short of slow
 * fills a lane as well. `settle` is told, of all that `takeExcess` gave, what the slow lane has; only that may be deleted.
 */
export const watchOverflow = async (of: {
  takeExcess: () => Promise<readonly SQSRecord[]>
  settle: (taken: readonly SQSRecord[], forwarded: readonly SQSRecord[]) => void
  queue: DeliveryQueue
  clock: Clock
  reporter: Reporter
  signal: AbortSignal
}): Promise<void> => {
  while (!of.signal.aborted) {
    const taken = await of.takeExcess()
    const forwarded = taken.length === 0 ? taken : await forward(taken, of)
    of.settle(taken, forwarded)
    await of.clock.sleep(forwarded.length < taken.length ? forwardAgainMs : lookAgainMs, of.signal)
  }
}

/** What the slow lane took. What it did not take is still in the queue, and comes back when its visibility ends. */
const forward = async (
  taken: readonly SQSRecord[],
  { queue, reporter }: { queue: DeliveryQueue; reporter: Reporter },
): Promise<readonly SQSRecord[]> => {
  try {
    const results = await queue.send(taken.map(slowEntry))
    const forwarded = taken.filter((_, at) => results[at]?.kind === 'sent')
    if (forwarded.length === taken.length) return forwarded
    reportFault(reporter, notTaken(taken.length - forwarded.length, taken.length))
    return forwarded
  } catch (error) {
    reportFault(reporter, error)
    return []
  }
}

const reportFault = (reporter: Reporter, error: unknown): void =>
  reporter.report({ kind: 'fault', event: null, endpoint: null, ...faultOf(error), delayMs: forwardAgainMs })

const notTaken = (count: number, of: number): OverflowError =>
  new OverflowError({
    code: 'queue_failed',
    message: `the slow lane did not take ${count} of ${of} messages`,
    hint: 'They come back by themselves. If it lasts, check the slow queue.',
  })

/** Unattempted, so with the same body and fault count, as the dispatcher forwards. */
const slowEntry = ({ body, attributes, messageAttributes }: SQSRecord): QueueEntry => ({
  lane: 'slow',
  group: attributes.MessageGroupId ?? null,
  body,
  delayMs: 0,
  faults: readFaults(messageAttributes),
})
