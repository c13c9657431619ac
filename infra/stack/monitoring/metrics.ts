import { Duration } from 'aws-cdk-lib'
import { Metric } from 'aws-cdk-lib/aws-cloudwatch'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import type { IQueue } from 'aws-cdk-lib/aws-sqs'
import { tableDefinition } from '../../../shared/adapters/dynamodb/table.ts'
import {
  metricNames,
  metricsNamespace,
  serviceDimension,
} from '../../../shared/adapters/telemetry/metric-names.ts'
import type { FunctionName } from '../names.ts'
import type { MetricRef, WatchedResource } from './alarm-row.ts'

/** What is watched. */
export type WatchedStack = {
  prefix: string
  functions: Record<FunctionName, IFunction>
  queues: Record<'fast' | 'slow' | 'deadLetters' | 'failedRuns', IQueue>
  table: { readonly tableName: string }
  scheduleGroupName: string
}

/** A metric of CloudWatch, from its reference. */
export type CreateMetric = (ref: MetricRef, periodSeconds: number, label?: string) => Metric

type Place = { namespace: string; dimensionsMap: Record<string, string> }

/** Where AWS keeps the metrics of each resource: names and dimensions as its developer guides have them. */
const placesOf = ({ functions, queues, table, scheduleGroupName }: WatchedStack) => {
  const ofFunction = ({ functionName }: IFunction): Place => ({
    namespace: 'AWS/Lambda',
    dimensionsMap: { FunctionName: functionName },
  })
  const ofQueue = ({ queueName }: IQueue): Place => ({
    namespace: 'AWS/SQS',
    dimensionsMap: { QueueName: queueName },
  })
  const ofTable = { namespace: 'AWS/DynamoDB', dimensionsMap: { TableName: table.tableName } }
  return {
    poller: ofFunction(functions.poller),
    dispatcher: ofFunction(functions.dispatcher),
    releaser: ofFunction(functions.releaser),
    fast: ofQueue(queues.fast),
    slow: ofQueue(queues.slow),
    deadLetters: ofQueue(queues.deadLetters),
    failedRuns: ofQueue(queues.failedRuns),
    table: ofTable,
    // What an index consumes and throttles is not in the table's own metrics.
    index: {
      ...ofTable,
      dimensionsMap: { ...ofTable.dimensionsMap, GlobalSecondaryIndexName: tableDefinition.index.name },
    },
    schedules: { namespace: 'AWS/Scheduler', dimensionsMap: { ScheduleGroup: scheduleGroupName } },
  } satisfies Record<WatchedResource, Place>
}

export const createMetricsOf = (stack: WatchedStack): CreateMetric => {
  const places = placesOf(stack)
  const own: Place = { namespace: metricsNamespace, dimensionsMap: { [serviceDimension]: stack.prefix } }
  return (ref, periodSeconds, label) => {
    const { place, metricName } =
      ref.of === 'bridge'
        ? { place: own, metricName: metricNames[ref.metric].name }
        : { place: places[ref.of], metricName: ref.metric }
    return new Metric({
      ...place,
      metricName,
      statistic: ref.statistic,
      period: Duration.seconds(periodSeconds),
      ...(label !== undefined && { label }),
    })
  }
}
