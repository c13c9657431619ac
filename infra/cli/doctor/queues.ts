import { GetQueueAttributesCommand, type QueueAttributeName } from '@aws-sdk/client-sqs'
import * as z from 'zod'
import { type QueueUrls, queueSettings } from '../../../shared/adapters/sqs/queues.ts'
import { lanes } from '../../../shared/domain/delivery/delivery-queue.ts'
import type { OperatorBridge } from '../target/operator-bridge.ts'
import { type Check, type Found, failed, ok } from './check.ts'

const attributeNames = [
  'QueueArn',
  'VisibilityTimeout',
  'MessageRetentionPeriod',
  'ReceiveMessageWaitTimeSeconds',
  'MaximumMessageSize',
  'RedrivePolicy',
] as const satisfies readonly QueueAttributeName[]

const count = z.coerce.number().int()
const redriveSchema = z.object({ deadLetterTargetArn: z.string(), maxReceiveCount: count })
const schema = z.object({
  QueueArn: z.string(),
  VisibilityTimeout: count,
  MessageRetentionPeriod: count,
  ReceiveMessageWaitTimeSeconds: count,
  MaximumMessageSize: count,
  RedrivePolicy: z
    .string()
    .transform(text => redriveSchema.parse(JSON.parse(text)))
    .optional(),
})
type Attributes = z.infer<typeof schema>

/** The queues are set as they were made: somebody may have changed them since. */
export const queuesCheck: Check = {
  name: 'queues',
  run: async ({ bridge }) => {
    const deadLetters = await read(bridge, 'deadLetters')
    const found = lanes.map(async lane => {
      const attributes = await read(bridge, lane)
      return findingOf(lane, [...common(attributes), ...ofLane(attributes, deadLetters.QueueArn)])
    })
    return [...(await Promise.all(found)), findingOf('dead letters', common(deadLetters))]
  },
}

const read = async (
  { queueClient, queueUrls }: OperatorBridge,
  name: keyof QueueUrls,
): Promise<Attributes> => {
  const command = new GetQueueAttributesCommand({
    QueueUrl: queueUrls[name],
    AttributeNames: [...attributeNames],
  })
  return schema.parse((await queueClient.send(command)).Attributes)
}

const common = (has: Attributes): string[] => [
  ...unlike('retention', has.MessageRetentionPeriod, queueSettings.retentionSeconds, ' s'),
  ...unlike('receive wait', has.ReceiveMessageWaitTimeSeconds, queueSettings.receiveWaitSeconds, ' s'),
  ...unlike('largest message', has.MaximumMessageSize, queueSettings.messageBytesMax, ' bytes'),
]

const ofLane = (has: Attributes, deadLettersArn: string): string[] => {
  const { visibilityTimeoutSeconds, maxReceiveCount } = queueSettings
  // A stack adds the time in which a batch is gathered.
  const isShort = has.VisibilityTimeout < visibilityTimeoutSeconds
  return [
    ...(isShort ? unlike('visibility time-out', has.VisibilityTimeout, visibilityTimeoutSeconds, ' s') : []),
    ...(has.RedrivePolicy === undefined
      ? ['nothing goes to the dead letters']
      : unlike('receipts before dead letters', has.RedrivePolicy.maxReceiveCount, maxReceiveCount, '')),
    ...(has.RedrivePolicy !== undefined && has.RedrivePolicy.deadLetterTargetArn !== deadLettersArn
      ? ['its dead letters go to another queue']
      : []),
  ]
}

const unlike = (what: string, is: number, right: number, unit: string): string[] =>
  is === right ? [] : [`${what}: ${is}${unit}, not ${right}${unit}`]

const findingOf = (name: string, problems: readonly string[]): Found =>
  problems.length === 0
    ? ok(name, 'set as they should be')
    : failed(name, problems.join('; '), 'Deploy the stack again: somebody changed them by hand.')
