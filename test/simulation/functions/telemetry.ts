import type { Context } from 'aws-lambda'
import { createTelemetry, type Telemetry } from '../../../shared/adapters/telemetry/telemetry.ts'
import type { Process } from '../engine/process.ts'
import { type LeakRule, wordsOf } from '../rules/leaks.ts'
import type { World } from './world.ts'

/** The logs and metrics of all functions as on AWS, every line of which is searched. */
export const searchedTelemetry = (leaks: LeakRule, noteLine: () => void): Telemetry =>
  createTelemetry({
    service: 'simulation',
    logLevel: 'DEBUG',
    write: line => {
      noteLine()
      // Without the time of the machine: the same seed gives the same trace.
      leaks.search(line, `a line: ${line.replace(timestamp, '').slice(0, lineShownMax)}`)
    },
  })

/** What a function throws is printed by Lambda, and an operator's command by its terminal. */
export const searchError = (world: World, process: Process, error: unknown): void =>
  world.leaks.search(wordsOf(error), `an error of ${process.id}`)

const lineShownMax = 300
const timestamp = /"timestamp":"[^"]*",?/

export const contextOf = ({ id }: Process): Context => ({
  callbackWaitsForEmptyEventLoop: false,
  functionName: id,
  functionVersion: '1',
  invokedFunctionArn: `arn:aws:lambda:${id}`,
  memoryLimitInMB: '256',
  awsRequestId: id,
  logGroupName: id,
  logStreamName: id,
  getRemainingTimeInMillis: () => 0,
  done: () => undefined,
  fail: () => undefined,
  succeed: () => undefined,
})
