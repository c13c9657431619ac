import type { Lane } from '../../domain/delivery/delivery-queue.ts'
import { messageBytesMax } from './limits.ts'

/**
 * The queues, as one constant: created from it locally and by the stack. All are standard queues: a FIFO queue would
 * stop an endpoint's deliveries at the first that fails.
 */
export const queueDefinitions = {
  fast: { name: 'deliveries' },
  slow: { name: 'deliveries-slow' },
  deadLetters: { name: 'dead-letters' },
} as const satisfies Record<Lane | 'deadLetters', { name: string }>

export type QueueUrls = Readonly<Record<keyof typeof queueDefinitions, string>>

export const queueSettings = {
  /** Six times the dispatcher's time-out of 60 s, as AWS advises: a batch under way is not handed out again. */
  visibilityTimeoutSeconds: 360,
  /** The longest there is. Dead letters and an outage of the dispatcher must outlast holidays. */
  retentionSeconds: 14 * 24 * 3600,
  /** Long polling: the longest there is. */
  receiveWaitSeconds: 20,
  /** Receipts of one message before AWS moves it to the dead letters; only a dispatcher that dies leads there. */
  maxReceiveCount: 5,
  messageBytesMax,
} as const
