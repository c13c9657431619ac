/** The two queues of deliveries (DESIGN.md, section 6, "Two lanes"). */
export const lanes = ['fast', 'slow'] as const
export type Lane = (typeof lanes)[number]

/** How often our own faults put a message off, and since when; kept beside the body, so that any body can carry it. */
export type FaultCount = { count: number; sinceMs: number }

export type QueueEntry = {
  lane: Lane
  /** The fair-queue group: the endpoint's id, or null where no endpoint could be read. */
  group: string | null
  body: string
  delayMs: number
  faults: FaultCount | null
}

/** The queue takes no longer delay (SQS DelaySeconds, 900 s); more waits in the table. */
export const queueDelayMsMax = 900_000

/**
 * What became of one entry: `refused` says that this body will never be taken (size, characters); `failed` that it
 * may be later.
 */
export type EntryResult = { kind: 'sent' } | { kind: 'refused' | 'failed'; reason: string }

export interface DeliveryQueue {
  /** Sends all of them, in batches; one result an entry, in their order. Never throws for what the queue answers. */
  send(entries: readonly QueueEntry[]): Promise<EntryResult[]>
}

export type DeadLetterEntry = { group: string | null; body: string; reason: string }

/** Copies of dead letters, for alarms and for AWS's own redrive; the table is the truth. */
export interface DeadLetterQueue {
  send(entries: readonly DeadLetterEntry[]): Promise<EntryResult[]>
}
