import * as z from 'zod'
import type { Counter } from './counting-proxy.ts'
import { receivedSchema, sendSchema, sqsRequestsOf } from './message-units.ts'

export type SqsUsage = { sqsRequests: number; sqsFairRequests: number; calls: number }

const queueSchema = z.looseObject({ QueueUrl: z.string() })

/**
 * Counts requests by what they carry. A receive that finds nothing is not counted here: how often an event source
 * mapping asks in vain is a matter of time, not of messages. Delays are counted and not waited for.
 */
export const createSqsCounter = (usage: SqsUsage): Counter => {
  /** The emulator forgets groups: whatever is in a queue is taken to be like what was sent there. */
  const fairQueues = new Set<string>()
  const count = (requests: number, queueUrl: string): void => {
    usage.sqsRequests += requests
    if (fairQueues.has(queueUrl)) usage.sqsFairRequests += requests
  }
  return async call => {
    const { QueueUrl } = queueSchema.parse(call.body)
    switch (call.action) {
      case 'SendMessageBatch': {
        const { Entries } = sendSchema.parse(call.body)
        usage.calls += 1
        if (Entries.some(({ MessageGroupId }) => MessageGroupId !== undefined)) fairQueues.add(QueueUrl)
        count(sqsRequestsOf(Entries), QueueUrl)
        return call.ask('SendMessageBatch', {
          ...call.body,
          Entries: Entries.map(entry => ({ ...entry, DelaySeconds: 0 })),
        })
      }
      case 'ReceiveMessage': {
        const answer = await call.ask()
        const { Messages } = receivedSchema.parse(answer.body)
        if (Messages.length > 0) count(sqsRequestsOf(Messages), QueueUrl)
        return answer
      }
      case 'DeleteMessageBatch':
        count(1, QueueUrl)
        return call.ask()
      default:
        throw new Error(`nobody counts ${call.action} yet`)
    }
  }
}
