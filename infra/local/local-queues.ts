import { CreateQueueCommand, GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs'
import { buildApp } from 'fauxqs'
import { createQueueClient } from '../../shared/adapters/sqs/client.ts'
import { type QueueUrls, queueDefinitions, queueSettings } from '../../shared/adapters/sqs/queues.ts'
import { localClientSettings } from './client-settings.ts'

export type LocalQueues = { endpoint: string; queueUrls: QueueUrls; close(): Promise<void> }

/** SQS in this process, in memory, with the bridge's queues. */
export const startLocalQueues = async (): Promise<LocalQueues> => {
  // Its own `startFauxqs` listens on every address of the machine.
  const app = buildApp({ logger: false })
  const endpoint = await app.listen({ host: '127.0.0.1', port: 0 })
  const client = createQueueClient({ ...localClientSettings, endpoint })
  try {
    return { endpoint, queueUrls: await createQueues(client), close: () => app.close() }
  } finally {
    client.destroy()
  }
}

const createQueues = async (client: SQSClient): Promise<QueueUrls> => {
  const deadLetters = await createQueue(client, queueDefinitions.deadLetters.name)
  const answer = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: deadLetters, AttributeNames: ['QueueArn'] }),
  )
  const redrive = JSON.stringify({
    deadLetterTargetArn: answer.Attributes?.QueueArn,
    maxReceiveCount: queueSettings.maxReceiveCount,
  })
  return {
    fast: await createQueue(client, queueDefinitions.fast.name, redrive),
    slow: await createQueue(client, queueDefinitions.slow.name, redrive),
    deadLetters,
  }
}

const createQueue = async (client: SQSClient, name: string, redrive?: string): Promise<string> => {
  const answer = await client.send(
    new CreateQueueCommand({
      QueueName: name,
      Attributes: {
        VisibilityTimeout: String(queueSettings.visibilityTimeoutSeconds),
        MessageRetentionPeriod: String(queueSettings.retentionSeconds),
        ReceiveMessageWaitTimeSeconds: String(queueSettings.receiveWaitSeconds),
        MaximumMessageSize: String(queueSettings.messageBytesMax),
        ...(redrive !== undefined && { RedrivePolicy: redrive }),
      },
    }),
  )
  if (answer.QueueUrl === undefined) throw new Error(`the emulator gave no URL for the queue ${name}`)
  return answer.QueueUrl
}
