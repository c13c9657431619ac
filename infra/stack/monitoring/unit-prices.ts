/**
 * US dollars in us-east-1, without free tiers, from the price pages of AWS Lambda (arm64), Amazon SQS, Amazon DynamoDB
 * (on demand), AWS Secrets Manager and Amazon CloudWatch, as the bench of prices has them (test/bench/price). Other
 * regions cost more, some by half; what counts is the bill.
 */
export const unitPrices = {
  asOf: 'us-east-1, June 2026',
  lambdaGbSecond: 0.0000133334,
  lambdaInvocation: 0.2 / 1_000_000,
  queueRequest: 0.4 / 1_000_000,
  /** On top, where a message has a group: fair queues. */
  queueFairRequest: 0.1 / 1_000_000,
  tableReadUnit: 0.125 / 1_000_000,
  tableWriteUnit: 0.625 / 1_000_000,
  logGb: 0.5,
  alarmMetricMonth: 0.1,
  customMetricMonth: 0.3,
  secretMonth: 0.4,
} as const
