import { SQSClient } from '@aws-sdk/client-sqs'
import { queueSettings } from './queues.ts'

const connectionTimeoutMs = 2_000
/** For one try of one request. A long poll waits its whole time before it answers. */
const requestTimeoutMs = (queueSettings.receiveWaitSeconds + 10) * 1_000
/** Tries of one request, the first included, by the SDK, with its backoff and retry quota. */
const attemptsMax = 4
/** More than what sends, receives and deletes at once. */
const socketsMax = 64

export type QueueClientSettings = {
  /** An emulator's address; without it, AWS's own. */
  endpoint?: string
  region?: string
  /** One of the profiles of the AWS configuration file, in place of the shell's. */
  profile?: string
  credentials?: { accessKeyId: string; secretAccessKey: string }
}

/** The SQS client with bounded time-outs, tries and sockets. */
export const createQueueClient = (settings: QueueClientSettings): SQSClient =>
  new SQSClient({
    ...settings,
    maxAttempts: attemptsMax,
    retryMode: 'standard',
    requestHandler: {
      connectionTimeout: connectionTimeoutMs,
      requestTimeout: requestTimeoutMs,
      throwOnRequestTimeout: true,
      httpAgent: { keepAlive: true, maxSockets: socketsMax },
      httpsAgent: { keepAlive: true, maxSockets: socketsMax },
    },
  })
