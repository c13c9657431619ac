import type { Context } from 'aws-lambda'
import type { LogLevel } from '../../../shared/adapters/telemetry/log-lines.ts'
import { type AroundOptions, createTelemetry } from '../../../shared/adapters/telemetry/telemetry.ts'
import type { Happening, Reporter } from '../../../shared/domain/happenings.ts'
import { isBlob, readBlob } from './emf-blob.ts'

export const contextOf = (awsRequestId = 'request-1'): Context => ({
  callbackWaitsForEmptyEventLoop: true,
  functionName: 'bridge-poller',
  functionVersion: '$LATEST',
  invokedFunctionArn: 'arn:aws:lambda:eu-west-1:123456789012:function:bridge-poller',
  memoryLimitInMB: '256',
  awsRequestId,
  logGroupName: '/bridge/poller',
  logStreamName: 'stream',
  getRemainingTimeInMillis: () => 60_000,
  done: () => undefined,
  fail: () => undefined,
  succeed: () => undefined,
})

/** Telemetry with its lines kept, and invocations of a handler that only reports. */
export const createHarness = (logLevel: LogLevel = 'DEBUG') => {
  const written: string[] = []
  const telemetry = createTelemetry({ service: 'bridge', logLevel, write: line => written.push(line) })
  const parsed = (): unknown[] => written.map(line => JSON.parse(line))
  const invoke = async (
    act: (reporter: Reporter) => void | Promise<void>,
    options?: AroundOptions,
  ): Promise<void> => {
    const handler = telemetry.around(async () => act(telemetry.reporter), options)
    await handler({}, contextOf())
  }
  return {
    ...telemetry,
    written,
    invoke,
    /** What was reported in one invocation. */
    tell: (happenings: Iterable<Happening>, options?: AroundOptions) =>
      invoke(reporter => {
        for (const one of happenings) reporter.report(one)
      }, options),
    lines: () => parsed().filter(line => !isBlob(line)),
    blobs: () => parsed().filter(isBlob).map(readBlob),
  }
}

/** The metrics of a blob as one expects them, with the dimensions that every test of dimensions checks. */
export const metricsOf = (blobs: readonly ReturnType<typeof readBlob>[]) =>
  blobs.map(({ dimensions, metrics }) => ({ dimensions, metrics }))

/** The metrics of an invocation in which these things happened. */
export const metricsOfTelling = async (happenings: Iterable<Happening>) => {
  const harness = createHarness('ERROR')
  await harness.tell(happenings)
  return metricsOf(harness.blobs())
}
