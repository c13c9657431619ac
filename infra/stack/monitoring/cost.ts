import { Duration } from 'aws-cdk-lib'
import { MathExpression } from 'aws-cdk-lib/aws-cloudwatch'
import type { MetricRef } from './alarm-row.ts'
import type { CreateMetric } from './metrics.ts'
import { unitPrices } from './unit-prices.ts'

const functionNames = ['poller', 'dispatcher', 'releaser'] as const
const lanes = ['fast', 'slow'] as const
/** Each message is sent, received and deleted; a request carries up to ten of them, and at worst one. */
const messageDollars = 3 * (unitPrices.queueRequest + unitPrices.queueFairRequest)

export const costPeriodSeconds = 86_400

const sum = (of: Exclude<MetricRef['of'], 'bridge'>, metric: string): MetricRef => ({
  of,
  metric,
  statistic: 'Sum',
})

export type CostProps = { metric: CreateMetric; memoryMb: number; logBytes: readonly MetricOfLogs[] }
type MetricOfLogs = ReturnType<CreateMetric>

/** Estimated US dollars a day: what is counted, times the unit prices. Storage, traffic and standing prices are not in it. */
export const dollarsADay = ({ metric, memoryMb, logBytes }: CostProps): MathExpression[] => {
  const counted = (refs: readonly MetricRef[], id: string) =>
    Object.fromEntries(refs.map((ref, index) => [`${id}${index}`, metric(ref, costPeriodSeconds)]))
  const total = (metrics: Readonly<Record<string, unknown>>) =>
    `(${Object.keys(metrics)
      .map(id => `FILL(${id}, 0)`)
      .join(' + ')})`
  const dollars = (label: string, expression: string, usingMetrics: Record<string, MetricOfLogs>) =>
    new MathExpression({ label, expression, usingMetrics, period: Duration.seconds(costPeriodSeconds) })

  const durations = counted(
    functionNames.map(name => sum(name, 'Duration')),
    'ms',
  )
  const invocations = counted(
    functionNames.map(name => sum(name, 'Invocations')),
    'runs',
  )
  const messages = counted(
    lanes.map(lane => sum(lane, 'NumberOfMessagesReceived')),
    'messages',
  )
  // Lambda asks all the time, also where there is nothing: this is what an idle bridge pays.
  const empty = counted(
    lanes.map(lane => sum(lane, 'NumberOfEmptyReceives')),
    'empty',
  )
  const reads = counted(
    [sum('table', 'ConsumedReadCapacityUnits'), sum('index', 'ConsumedReadCapacityUnits')],
    'read',
  )
  const writes = counted(
    [sum('table', 'ConsumedWriteCapacityUnits'), sum('index', 'ConsumedWriteCapacityUnits')],
    'write',
  )
  const logs = Object.fromEntries(logBytes.map((bytes, index) => [`log${index}`, bytes]))
  const gbOfMs = memoryMb / 1_024 / 1_000
  return [
    dollars(
      'Lambda',
      `${total(durations)} * ${number(gbOfMs * unitPrices.lambdaGbSecond)} + ${total(invocations)} * ${number(unitPrices.lambdaInvocation)}`,
      { ...durations, ...invocations },
    ),
    dollars(
      'SQS, at most',
      `${total(messages)} * ${number(messageDollars)} + ${total(empty)} * ${number(unitPrices.queueRequest)}`,
      { ...messages, ...empty },
    ),
    dollars(
      'DynamoDB',
      `${total(reads)} * ${number(unitPrices.tableReadUnit)} + ${total(writes)} * ${number(unitPrices.tableWriteUnit)}`,
      { ...reads, ...writes },
    ),
    dollars('Logs', `${total(logs)} * ${number(unitPrices.logGb / 1_024 ** 3)}`, logs),
  ]
}

/** Without an exponent, which CloudWatch's expressions do not take. */
const number = (value: number): string => value.toFixed(18).replace(/0+$/, '')
