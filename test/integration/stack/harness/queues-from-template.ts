import { CreateQueueCommand, type SQSClient } from '@aws-sdk/client-sqs'
import * as z from 'zod'
import type { Assembly, Resource } from './assembly.ts'
import type { Resolver } from './intrinsics.ts'
import { partProperties } from './properties.ts'

/** Attributes of `CreateQueue` that fauxqs follows. */
const followed = [
  'MaximumMessageSize',
  'MessageRetentionPeriod',
  'ReceiveMessageWaitTimeSeconds',
  'RedrivePolicy',
  'VisibilityTimeout',
] as const
/** Not given where AWS's default will do: none on the queues that Lambda does not poll. */
const followedWhereThere = ['DelaySeconds', ...followed] as const
/** Properties of every queue that fauxqs keeps, or drops, without doing anything. */
const notTakenByQueues = ['SqsManagedSseEnabled'] as const
/** And of some. */
const notTakenBySome = ['RedriveAllowPolicy'] as const

const nameSchema = z.string()

export type TemplateQueue = { id: string; name: string; notTaken: Readonly<Record<string, unknown>> }

/** `CreateQueue` takes text, CloudFormation numbers and objects. */
const attributeText = (value: unknown): string =>
  typeof value === 'object' ? JSON.stringify(value) : String(value)

const readQueue = (queue: Resource, resolver: Resolver) => {
  const { taken, notTaken } = partProperties(queue, {
    taken: ['QueueName'],
    takenWhereThere: followedWhereThere,
    notTaken: notTakenByQueues,
    notTakenWhereThere: notTakenBySome,
  })
  const { QueueName, ...attributes } = taken
  return {
    name: nameSchema.parse(resolver.resolve(QueueName)),
    attributes,
    notTaken: z.record(z.string(), z.unknown()).parse(resolver.resolve(notTaken)),
  }
}

/** Creates every queue of the template in the emulator. */
export const createTemplateQueues = async (
  client: SQSClient,
  assembly: Assembly,
  resolver: Resolver,
): Promise<TemplateQueue[]> => {
  const created: TemplateQueue[] = []
  for (const queue of assembly.ofType('AWS::SQS::Queue')) {
    const { name, attributes, notTaken } = readQueue(queue, resolver)
    const texts = Object.entries(attributes).map(([key, value]) => [
      key,
      attributeText(resolver.resolve(value)),
    ])
    await client.send(new CreateQueueCommand({ QueueName: name, Attributes: Object.fromEntries(texts) }))
    created.push({ id: queue.id, name, notTaken })
  }
  return created
}
