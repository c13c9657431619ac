import { randomUUID } from 'node:crypto'
import type { Context } from 'aws-lambda'

/** As Lambda gives it, with what the telemetry reads of it. */
export const lambdaContext = (remainingMs: number): Context => ({
  callbackWaitsForEmptyEventLoop: false,
  functionName: 'bench',
  functionVersion: '$LATEST',
  invokedFunctionArn: 'arn:aws:lambda:us-east-1:000000000000:function:bench',
  memoryLimitInMB: '256',
  awsRequestId: randomUUID(),
  logGroupName: '/bench',
  logStreamName: 'bench',
  getRemainingTimeInMillis: () => remainingMs,
  done: () => {},
  fail: () => {},
  succeed: () => {},
})
