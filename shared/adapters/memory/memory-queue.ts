import type { SQSRecord } from 'aws-lambda'
import type { TextAttributes } from '../sqs/limits.ts'

export type MemoryMessage = {
  body: string
  group: string | null
  delayMs: number
  attributes: TextAttributes
}

/**
 * A standard queue in memory, by the clock that it is given: delay, visibility time-out, receipts of one message that
 * each have a handle of their own, redrive after too many of them. It hands out the oldest first and nothing twice at
 * once; SQS promises neither.
 */
export type MemoryQueue = {
  send(message: MemoryMessage): void
  /** At most `max` records that are visible now, in the form in which Lambda hands them over. */
  receive(max?: number): SQSRecord[]
  /** False where the message was deleted already, or handed out again since. */
  delete(receiptHandle: string): boolean
  /** Makes a message in flight visible again at once, as a batch does with what it reports as failed. */
  release(receiptHandle: string): boolean
  stats(): { visible: number; delayed: number; inFlight: number }
  /** When the next message that is not visible becomes so: Unix milliseconds, or null. */
  nextVisibleAtMs(): number | null
}

type Stored = {
  message: MemoryMessage
  messageId: string
  sentAtMs: number
  visibleAtMs: number
  receipts: number
  firstReceivedAtMs: number | null
}

const receiveMax = 10

export const createMemoryQueue = ({
  now,
  visibilityTimeoutMs,
  redrive,
}: {
  /** Unix time in milliseconds. */
  now: () => number
  visibilityTimeoutMs: number
  redrive?: { maxReceiveCount: number; to: MemoryQueue }
}): MemoryQueue => {
  const stored = new Map<string, Stored>()
  let sentCount = 0
  const handleOf = ({ messageId, receipts }: Stored): string => `${messageId}/${receipts}`
  /** A handle is good until the message is handed out again. */
  const byHandle = (handle: string): Stored | null => {
    const entry = stored.get(handle.split('/')[0] ?? '')
    return entry && handleOf(entry) === handle ? entry : null
  }

  return {
    send: message => {
      sentCount += 1
      const messageId = `message-${sentCount}`
      stored.set(messageId, {
        message: structuredClone(message),
        messageId,
        sentAtMs: now(),
        visibleAtMs: now() + message.delayMs,
        receipts: 0,
        firstReceivedAtMs: null,
      })
    },

    receive: (max = receiveMax) => {
      const records: SQSRecord[] = []
      for (const entry of stored.values()) {
        if (records.length >= Math.min(max, receiveMax)) break
        if (entry.visibleAtMs > now()) continue
        if (redrive && entry.receipts >= redrive.maxReceiveCount) {
          stored.delete(entry.messageId)
          redrive.to.send({ ...entry.message, delayMs: 0 })
          continue
        }
        entry.receipts += 1
        entry.firstReceivedAtMs ??= now()
        entry.visibleAtMs = now() + visibilityTimeoutMs
        records.push(toRecord(entry, handleOf(entry)))
      }
      return records
    },

    delete: handle => {
      const entry = byHandle(handle)
      return entry !== null && stored.delete(entry.messageId)
    },

    release: handle => {
      const entry = byHandle(handle)
      if (!entry || entry.visibleAtMs <= now()) return false
      entry.visibleAtMs = now()
      return true
    },

    stats: () => {
      const hidden = [...stored.values()].filter(({ visibleAtMs }) => visibleAtMs > now())
      const delayed = hidden.filter(({ receipts }) => receipts === 0).length
      return { visible: stored.size - hidden.length, delayed, inFlight: hidden.length - delayed }
    },

    nextVisibleAtMs: () => {
      const times = [...stored.values()].map(({ visibleAtMs }) => visibleAtMs).filter(time => time > now())
      return times.length === 0 ? null : Math.min(...times)
    },
  }
}

const toRecord = (entry: Stored, receiptHandle: string): SQSRecord => ({
  messageId: entry.messageId,
  receiptHandle,
  body: entry.message.body,
  attributes: {
    ApproximateReceiveCount: String(entry.receipts),
    SentTimestamp: String(entry.sentAtMs),
    SenderId: '',
    ApproximateFirstReceiveTimestamp: String(entry.firstReceivedAtMs ?? 0),
    ...(entry.message.group !== null && { MessageGroupId: entry.message.group }),
  },
  messageAttributes: structuredClone(entry.message.attributes),
  md5OfBody: '',
  eventSource: 'aws:sqs',
  eventSourceARN: '',
  awsRegion: '',
})
