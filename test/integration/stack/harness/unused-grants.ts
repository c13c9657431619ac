import type { FunctionName } from './deployment.ts'

const byLambda = 'Lambda itself writes what the function prints'
const depthOfQueue = 'Lambda asks how much waits, to decide how many batches to run at once'

/**
 * What the roles allow and no test here made use of, each with its reason. A grant that is neither used nor listed
 * fails the test, and so does one that is listed and used, or gone.
 */
export const unusedGrants: Readonly<Record<FunctionName, Readonly<Record<string, string>>>> = {
  poller: {
    'logs:CreateLogStream log-group:/feedback-bridge/poller:*': byLambda,
    'logs:PutLogEvents log-group:/feedback-bridge/poller:*': byLambda,
  },
  dispatcher: {
    'dynamodb:GetItem table/feedback-bridge DELIVERY#*':
      'read where a write was refused, since it may be our own whose reply was lost, and between two positions of one delivery in a batch',
    'logs:CreateLogStream log-group:/feedback-bridge/dispatcher:*': byLambda,
    'logs:PutLogEvents log-group:/feedback-bridge/dispatcher:*': byLambda,
    'sqs:GetQueueAttributes feedback-bridge-deliveries': depthOfQueue,
    'sqs:GetQueueAttributes feedback-bridge-deliveries-slow': depthOfQueue,
    'sqs:SendMessage feedback-bridge-failed-runs':
      'the queues invoke it synchronously; the destination is for whoever invokes it otherwise',
  },
  releaser: {
    'dynamodb:BatchGetItem table/feedback-bridge DELIVERY#*':
      'asked for entries that fall due in the millisecond in which the run starts',
    'dynamodb:GetItem table/feedback-bridge DELIVERY#*':
      'read where a write was refused, since it may be our own whose reply was lost',
    'dynamodb:PutItem table/feedback-bridge DELIVERY#*':
      'ends a delivery whose event has expired, or whose message the queue refuses for good',
    'dynamodb:UpdateItem table/feedback-bridge MARK#*':
      'marks where reconcile stopped in a day that takes longer than a run',
    'logs:CreateLogStream log-group:/feedback-bridge/releaser:*': byLambda,
    'logs:PutLogEvents log-group:/feedback-bridge/releaser:*': byLambda,
  },
}
