import { Duration } from 'aws-cdk-lib'
import { CfnFunction, EventSourceMapping, type IFunction } from 'aws-cdk-lib/aws-lambda'
import { CfnQueue, type IQueue } from 'aws-cdk-lib/aws-sqs'
import { Construct } from 'constructs'
import { batchMessagesMax } from './lane-batches.ts'

/** The most that Lambda takes without a window (the same page). */
const batchMessagesWithoutWindow = 10
/** How many time-outs of the function a message stays hidden for (Lambda Developer Guide, as below). */
const timeoutsHidden = 6
/** What a queue has that does not say (SQS API, CreateQueue). */
const visibilitySecondsDefault = 30

export type LaneSourceProps = {
  lambda: IFunction
  queue: IQueue
  batchingWindowSeconds: number
  concurrencyMax: number
}

/** A lane, as Lambda reads it. At synth it is an error where the queue would hand out again what is under way. */
export class LaneSource extends Construct {
  constructor(scope: Construct, id: string, props: LaneSourceProps) {
    super(scope, id)
    new EventSourceMapping(this, 'Source', {
      target: props.lambda,
      eventSourceArn: props.queue.queueArn,
      batchSize: props.batchingWindowSeconds === 0 ? batchMessagesWithoutWindow : batchMessagesMax,
      maxBatchingWindow: Duration.seconds(props.batchingWindowSeconds),
      maxConcurrency: props.concurrencyMax,
      reportBatchItemFailures: true,
    })
    this.node.addValidation({ validate: () => problemsOf(props) })
  }
}

/**
 * Lambda Developer Guide, "Creating and configuring an Amazon SQS event source mapping": the visibility time-out is to
 * be six times the function's time-out, and the batching window on top. Looks at what the template will say.
 */
const problemsOf = ({ lambda, queue, batchingWindowSeconds }: LaneSourceProps): string[] => {
  const [cfnQueue, cfnFunction] = [queue.node.defaultChild, lambda.node.defaultChild]
  if (!(cfnQueue instanceof CfnQueue && cfnFunction instanceof CfnFunction)) {
    return [
      'The queue and the function of a lane must be of this stack, so that their time-outs can be compared.',
    ]
  }
  const hiddenSeconds = cfnQueue.visibilityTimeout ?? visibilitySecondsDefault
  const timeoutSeconds = cfnFunction.timeout ?? 0
  const neededSeconds = timeoutsHidden * timeoutSeconds + batchingWindowSeconds
  return hiddenSeconds >= neededSeconds
    ? []
    : [
        `The queue ${cfnQueue.queueName} hides a message for ${hiddenSeconds} s. It must be ${neededSeconds} s at least: ` +
          `${timeoutsHidden} × the function's time-out of ${timeoutSeconds} s, and the batching window of ${batchingWindowSeconds} s.`,
      ]
}
