/**
 * How long Lambda would bill an invocation. The machine that counts is not Lambda's: so durations are a model, and
 * these are all of its numbers.
 */
export const lambdaModel = {
  memoryMb: 256,
  /** Memory at which a function has one processor whole (Lambda Developer Guide, "Configure Lambda function memory"). */
  memoryOfOneCpuMb: 1_769,
  /** A customer's endpoint, from its connection to its answer; with TLS kept alive. */
  endpointAnswerMs: 200,
  /** The email service, for a page. */
  serviceAnswerMs: 300,
  /** SQS and DynamoDB, in the same region. */
  awsAnswerMs: 10,
  /** Calls that a batch of the dispatcher makes one after the other: reads its deliveries, writes each. */
  callsInTurn: 2,
  /** An idle instance's work beside its waiting, of a whole processor, for a run. */
  idleRunCpuMs: 5,
} as const

const gigabytes = lambdaModel.memoryMb / 1_024
/** Processor time is stretched by the share of a processor that the memory brings. */
const stretch = lambdaModel.memoryOfOneCpuMb / lambdaModel.memoryMb

/** A batch of the dispatcher: all its POSTs at once, and its share of a processor one after the other. */
export const batchGbSeconds = (cpuMs: number): number => {
  const { endpointAnswerMs, callsInTurn, awsAnswerMs } = lambdaModel
  return ((endpointAnswerMs + callsInTurn * awsAnswerMs + cpuMs * stretch) / 1_000) * gigabytes
}

/** A run that makes its calls one after the other and then ends. */
export const shortRunGbSeconds = (of: { awsCalls: number; serviceCalls: number }): number => {
  const { awsAnswerMs, serviceAnswerMs, idleRunCpuMs } = lambdaModel
  const ms = of.awsCalls * awsAnswerMs + of.serviceCalls * serviceAnswerMs + idleRunCpuMs * stretch
  return (ms / 1_000) * gigabytes
}

/** A run that lasts so long, whatever it does. */
export const longRunGbSeconds = (seconds: number): number => seconds * gigabytes

/**
 * What Lambda itself writes of an invocation into its log group: START, END and REPORT, as plain text (Lambda
 * Developer Guide, "Viewing CloudWatch logs for Lambda functions").
 */
export const platformLines = [
  'START RequestId: 8f507cfc-xmpl-4697-b07a-ac58fc914c95 Version: $LATEST\n',
  'END RequestId: 8f507cfc-xmpl-4697-b07a-ac58fc914c95\n',
  'REPORT RequestId: 8f507cfc-xmpl-4697-b07a-ac58fc914c95\tDuration: 252.22 ms\tBilled Duration: 253 ms\tMemory Size: 256 MB\tMax Memory Used: 118 MB\t\n',
] as const

/** CloudWatch adds so much to each line (CloudWatch Logs API, "PutLogEvents"). */
const lineOverheadBytes = 26

export const logBytesOf = (lines: readonly string[]): number =>
  lines.reduce((sum, line) => sum + Buffer.byteLength(line, 'utf8') + lineOverheadBytes, 0)
