import { GetQueueAttributesCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs'
import * as z from 'zod'
import type { Emulators } from '../../../infra/local/emulators.ts'
import { localClientSettings } from '../../../infra/local/local-table.ts'
import { createQueueClient } from '../../../shared/adapters/sqs/client.ts'

const messageSchema = z.object({ eventId: z.string() })

/** The fast lane of a folder on which nothing delivers. */
export const openFastLane = ({ sqs, queueUrls }: Pick<Emulators, 'sqs' | 'queueUrls'>) => {
  const client = createQueueClient({ ...localClientSettings, endpoint: sqs.endpoint })
  const QueueUrl = queueUrls.fast
  return {
    count: async (): Promise<number> => {
      const AttributeNames = ['ApproximateNumberOfMessages'] as const
      const asked = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...AttributeNames] })
      return Number((await client.send(asked)).Attributes?.['ApproximateNumberOfMessages'])
    },
    /** The events of all messages, sorted; one that was sent twice stands twice. They are hidden from then on. */
    drain: async (): Promise<string[]> => {
      const ids: string[] = []
      for (;;) {
        const receive = { QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 0, VisibilityTimeout: 3_600 }
        const { Messages = [] } = await client.send(new ReceiveMessageCommand(receive))
        if (Messages.length === 0) return ids.toSorted()
        ids.push(...Messages.map(({ Body }) => messageSchema.parse(JSON.parse(Body ?? '')).eventId))
      }
    },
    [Symbol.dispose]: () => client.destroy(),
  }
}
