import { EventBridgeClient } from '@aws-sdk/client-eventbridge'

const connectionTimeoutMs = 2_000
/** For one try of one request: a bus that is out of reach must not take the releaser's run. */
const requestTimeoutMs = 5_000
/** Tries of one request, the first included; the next run asks again. */
const attemptsMax = 2

export type EventsClientSettings = {
  /** An emulator's address; without it, AWS's own. */
  endpoint?: string
  region?: string
  credentials?: { accessKeyId: string; secretAccessKey: string }
}

/** The EventBridge client with bounded time-outs and tries. */
export const createEventsClient = (settings: EventsClientSettings): EventBridgeClient =>
  new EventBridgeClient({
    ...settings,
    maxAttempts: attemptsMax,
    retryMode: 'standard',
    requestHandler: {
      connectionTimeout: connectionTimeoutMs,
      requestTimeout: requestTimeoutMs,
      throwOnRequestTimeout: true,
    },
  })
