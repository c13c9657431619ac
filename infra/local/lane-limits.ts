import { queueSettings } from '../../shared/adapters/sqs/queues.ts'
import type { Lane } from '../../shared/domain/delivery/delivery-queue.ts'
import { batchMessagesMax } from './endpoint-lanes.ts'

/** What waited longer is not handed to the function: its visibility might end meanwhile, and it be handed out twice. */
export const waitingMsMax = (queueSettings.visibilityTimeoutSeconds * 1_000) / 2

export type LaneLimits = {
  /** Receives under way at once while there is a backlog; one while there is none. */
  receiversMax: number
  /** Beyond it nothing is received; exceeded by at most what was under way then. */
  messagesInHandMax: number
  bytesInHandMax: number
  batchesPerEndpointMax: number
}

/** Both lanes together keep an endpoint's attempts below the sender's connections to one origin (64). */
export const laneLimits: Readonly<Record<Lane, LaneLimits>> = {
  fast: {
    receiversMax: 4,
    messagesInHandMax: 1_000,
    bytesInHandMax: 32 * 1024 * 1024,
    batchesPerEndpointMax: 4,
  },
  slow: {
    receiversMax: 2,
    messagesInHandMax: 400,
    bytesInHandMax: 16 * 1024 * 1024,
    batchesPerEndpointMax: 2,
  },
}

/**
 * The limits where an attempt takes up to `deadlineMs`: in the slow lane no more is in hand than one endpoint that never
 * answers is through with in time, since what waited in vain comes again only so often (`maxReceiveCount`). In the fast
 * lane such an endpoint does not stay.
 */
export const limitsOf = (lane: Lane, deadlineMs: number): LaneLimits => {
  const limits = laneLimits[lane]
  if (lane === 'fast') return limits
  const inTime = Math.floor(waitingMsMax / deadlineMs) * limits.batchesPerEndpointMax * batchMessagesMax
  return { ...limits, messagesInHandMax: Math.min(limits.messagesInHandMax, inTime) }
}
