import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'

/** A table in the same region answers within milliseconds; what takes longer is tried again on another socket. */
const connectionTimeoutMs = 2_000
/** For one try of one request, the largest batch included. */
const requestTimeoutMs = 10_000
/** Tries of one request, the first included, by the SDK, with its backoff and retry quota. */
const attemptsMax = 4
/** More than the batches that the stores send at once. */
const socketsMax = 64

export type TableClientSettings = {
  /** An emulator's address; without it, AWS's own. */
  endpoint?: string
  region?: string
  /** One of the profiles of the AWS configuration file, in place of the shell's. */
  profile?: string
  credentials?: { accessKeyId: string; secretAccessKey: string }
}

const requestHandler = {
  connectionTimeout: connectionTimeoutMs,
  requestTimeout: requestTimeoutMs,
  throwOnRequestTimeout: true,
  httpAgent: { keepAlive: true, maxSockets: socketsMax },
  httpsAgent: { keepAlive: true, maxSockets: socketsMax },
}

/** The SDK's client, for creating the table; the stores take `createDocumentClient`. */
export const createTableClient = (settings: TableClientSettings): DynamoDBClient => {
  const config: DynamoDBClientConfig = {
    ...settings,
    maxAttempts: attemptsMax,
    // Not `adaptive`: its client-side rate limiter would delay all sources for one hot partition.
    retryMode: 'standard',
    requestHandler,
  }
  return new DynamoDBClient(config)
}

/** The client of all stores, with bounded time-outs, tries and sockets. */
export const createDocumentClient = (settings: TableClientSettings): DynamoDBDocumentClient =>
  DynamoDBDocumentClient.from(createTableClient(settings), {
    marshallOptions: { removeUndefinedValues: true },
  })
