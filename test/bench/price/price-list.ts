import { unitPrices } from '../../../infra/stack/monitoring/unit-prices.ts'
import type { Usage } from './usage.ts'

/**
 * List prices in USD, us-east-1, without any free tier. Each is from the service's pricing page (aws.amazon.com:
 * "Amazon SQS pricing", "Pricing for On-Demand Capacity" of DynamoDB, "AWS Lambda Pricing", "Amazon EventBridge
 * pricing", "AWS Secrets Manager Pricing", "Amazon CloudWatch Pricing"), compared with public write-ups of March to
 * June 2026 (cloudburn.io, factualminds.com), since the pages load their numbers by script. What the stack's dashboard
 * reckons with as well stands there.
 */
export const priceList = {
  asOf: unitPrices.asOf,
  sqsPerRequest: unitPrices.queueRequest,
  /** On top, for requests with messages of a group: sends, receives and deletes are taken to be such alike. */
  sqsFairPerRequest: unitPrices.queueFairRequest,
  dynamodbPerWriteUnit: unitPrices.tableWriteUnit,
  dynamodbPerReadUnit: unitPrices.tableReadUnit,
  dynamodbPerGbMonth: 0.25,
  pointInTimeRecoveryPerGbMonth: 0.2,
  lambdaPerRequest: unitPrices.lambdaInvocation,
  /** arm64. */
  lambdaPerGbSecond: unitPrices.lambdaGbSecond,
  schedulerPerInvocation: 1e-6,
  secretMonth: unitPrices.secretMonth,
  secretsManagerPerCall: 0.05 / 10_000,
  logsPerGb: unitPrices.logGb,
  logsPerGbMonth: 0.03,
  metricMonth: unitPrices.customMetricMonth,
  alarmMetricMonth: unitPrices.alarmMetricMonth,
  compositeAlarmMonth: 0.5,
  dashboardMonth: 3,
} as const

/** AWS bills in units of 1024³ bytes. */
export const gigabyte = 1024 ** 3

/** What runs: requests and compute. Logs and storage stand apart. */
export const requestsAndCompute = (usage: Usage) => {
  const sqs =
    usage.sqsRequests * priceList.sqsPerRequest + usage.sqsFairRequests * priceList.sqsFairPerRequest
  const writes = usage.writeUnits * priceList.dynamodbPerWriteUnit
  const reads = usage.readUnits * priceList.dynamodbPerReadUnit
  const lambda =
    usage.invocations * priceList.lambdaPerRequest + usage.gbSeconds * priceList.lambdaPerGbSecond
  const secrets = usage.secretReads * priceList.secretsManagerPerCall
  const schedules = usage.scheduled * priceList.schedulerPerInvocation
  const usd = sqs + writes + reads + lambda + secrets + schedules
  return { sqs, writes, reads, lambda, secrets, schedules, usd }
}

/** How much of what is logged is left once CloudWatch has packed it (its pricing page reckons with this). */
const logsPackedTo = 0.15

/** What lasts: logs, kept for a month, and the table's items, kept until they expire, with their backup. */
export const logsAndStorage = (usage: Usage, of: { logMonths: number; itemMonths: number }) => {
  const logGigabytes = usage.logBytes / gigabyte
  const logs = logGigabytes * priceList.logsPerGb
  const keptLogs = logGigabytes * logsPackedTo * of.logMonths * priceList.logsPerGbMonth
  const perGbMonth = priceList.dynamodbPerGbMonth + priceList.pointInTimeRecoveryPerGbMonth
  const table = (usage.tableBytes / gigabyte) * of.itemMonths * perGbMonth
  return { logs, keptLogs, table, usd: logs + keptLogs + table }
}
