/**
 * US dollars in us-east-1, without free tiers, from AWS's price pages of Lambda (arm64), SQS (standard queues), DynamoDB
 * (on-demand, standard class) and CloudWatch, as they stood at the end of 2025. Other regions cost up to half as much
 * again; a bill is what counts.
 */
export const unitPrices = {
  asOf: 'end of 2025, us-east-1',
  lambdaGbSecond: 0.0000133334,
  lambdaInvocation: 0.2 / 1_000_000,
  queueRequest: 0.4 / 1_000_000,
  tableReadUnit: 0.125 / 1_000_000,
  tableWriteUnit: 0.625 / 1_000_000,
  logGb: 0.5,
  alarmMetricMonth: 0.1,
  customMetricMonth: 0.3,
} as const
