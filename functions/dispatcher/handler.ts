import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda'
import { BridgeError } from '../../shared/domain/bridge-error.ts'
import type { Lane } from '../../shared/domain/delivery/delivery-queue.ts'
import { createDispatcher, type DispatcherDeps } from '../../shared/domain/delivery/dispatch.ts'
import { readFaults } from '../../shared/domain/delivery/fault-attributes.ts'
import type { ReceivedMessage } from '../../shared/domain/delivery/received-message.ts'

export type HandlerDeps = DispatcherDeps & {
  /** Which lane a queue is, by the ARN that its event source names. */
  laneOfQueue: ReadonlyMap<string, Lane>
}

/** A trigger that this function was not set up for. */
export class TriggerError extends BridgeError {}

/**
 * The dispatcher's entry: a batch of one lane in, the items that the queue is to keep out. Throws a `TriggerError`
 * for a queue that it does not know, before anything is tried.
 */
export const createHandler = (deps: HandlerDeps) => {
  const dispatch = createDispatcher(deps)
  return async (event: SQSEvent): Promise<SQSBatchResponse> => {
    const batch = event.Records.map(record => receivedMessage(record, deps.laneOfQueue))
    const { failedMessageIds } = await dispatch(batch)
    return { batchItemFailures: failedMessageIds.map(itemIdentifier => ({ itemIdentifier })) }
  }
}

const receivedMessage = (record: SQSRecord, laneOfQueue: ReadonlyMap<string, Lane>): ReceivedMessage => {
  const lane = laneOfQueue.get(record.eventSourceARN)
  if (lane === undefined) {
    throw new TriggerError({
      code: 'unknown_queue',
      message: `The queue ${record.eventSourceARN} is no lane of this dispatcher.`,
      hint: 'Give the function the ARNs of both lanes.',
    })
  }
  return {
    lane,
    messageId: record.messageId,
    receiptHandle: record.receiptHandle,
    body: record.body,
    group: record.attributes.MessageGroupId ?? null,
    faults: readFaults(record.messageAttributes),
    // Not every emulator says it; 0 only makes the reported time in the queue too long.
    sentAtMs: Number.parseInt(record.attributes.SentTimestamp, 10) || 0,
  }
}
