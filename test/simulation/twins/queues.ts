import { queueSettings } from '../../../shared/adapters/sqs/queues.ts'
import { type DecodedMessage, decodeMessage } from '../../../shared/domain/delivery/delivery-message.ts'
import type { FaultCount, Lane } from '../../../shared/domain/delivery/delivery-queue.ts'
import type { Scheduler } from '../engine/scheduler.ts'
import { nameOfDelivery } from './table.ts'

const visibilityMs = queueSettings.visibilityTimeoutSeconds * 1_000
const retentionMs = queueSettings.retentionSeconds * 1_000
const lateMs = { min: 60_000, max: 3 * 3_600_000 }

export type QueueName = Lane | 'dead'

export type Message = {
  id: string
  queue: QueueName
  body: string
  group: string | null
  faults: FaultCount | null
  decoded: DecodedMessage
  sentAtMs: number
  visibleAtMs: number
  receipts: number
  /** Of the last receipt; null before the first. */
  handle: string | null
  /** Whether somebody has it, and may be handed it again. */
  inFlight: boolean
}

export type NewMessage = Pick<Message, 'queue' | 'body' | 'group' | 'faults'> & { delayMs: number }

export type QueueWatch = {
  /** A message is in no queue any more. */
  gone(message: Message): void
  /** It was handed out twice at the same time, or came back while somebody had it. */
  again(message: Message, why: 'handed_twice' | 'visible_again'): void
  late(message: Message): void
}

/** The delivery that a message is about; null where it is about none. */
export const aboutOf = ({ decoded }: Pick<Message, 'decoded'>): string | null =>
  decoded.kind === 'message' ? nameOfDelivery(decoded.message) : null

/** The queues as SQS may behave: any order, now and then twice, late, and never nothing at all. */
export const createQueues = (scheduler: Scheduler, watch: QueueWatch) => {
  const messages = new Map<string, Message>()
  const byDelivery = new Map<string, Set<Message>>()
  let sent = 0
  let handedOut = 0

  const send = (of: NewMessage): Message => {
    sent += 1
    const atMs = scheduler.now() + of.delayMs
    const message: Message = {
      id: `message-${sent}`,
      queue: of.queue,
      body: of.body,
      group: of.group,
      faults: of.faults,
      decoded: decodeMessage(of.body),
      sentAtMs: scheduler.now(),
      visibleAtMs: atMs,
      receipts: 0,
      handle: null,
      inFlight: false,
    }
    if (of.queue !== 'dead' && scheduler.strikes('message_late')) {
      message.visibleAtMs += scheduler.dice.int(lateMs.min, lateMs.max)
      watch.late(message)
    }
    messages.set(message.id, message)
    const about = aboutOf(message)
    if (about !== null) byDelivery.set(about, (byDelivery.get(about) ?? new Set()).add(message))
    return message
  }

  const remove = (message: Message): void => {
    if (!messages.delete(message.id)) return
    const about = aboutOf(message)
    if (about !== null) byDelivery.get(about)?.delete(message)
    watch.gone(message)
  }

  const isVisible = (message: Message): boolean => message.visibleAtMs <= scheduler.now()

  /** Those that can be received or redriven; what the queue has held beyond its retention is gone for both. */
  const visibleIn = (queue: QueueName): Message[] => {
    const there = [...messages.values()].filter(message => message.queue === queue && isVisible(message))
    const isKept = (message: Message): boolean => scheduler.now() - message.sentAtMs <= retentionMs
    for (const message of there) {
      if (isKept(message)) continue
      scheduler.note(`${message.id} is past its retention`)
      remove(message)
    }
    return there.filter(isKept)
  }

  /** At most `max`, in any order. */
  const receive = (queue: QueueName, max: number): Message[] => {
    const there = visibleIn(queue)
    const received: Message[] = []
    while (there.length > 0 && received.length < max) {
      const [message] = there.splice(scheduler.dice.int(0, there.length - 1), 1)
      if (message === undefined) continue
      if (message.receipts >= queueSettings.maxReceiveCount && queue !== 'dead') {
        // AWS moves it as it is, and its retention counts from when it was first sent (SQS, "Dead-letter queues").
        send({ ...message, queue: 'dead', delayMs: 0 }).sentAtMs = message.sentAtMs
        remove(message)
        continue
      }
      if (message.inFlight) watch.again(message, 'visible_again')
      message.receipts += 1
      handedOut += 1
      message.handle = `${message.id}/${message.receipts}`
      message.inFlight = true
      message.visibleAtMs = scheduler.now() + visibilityMs
      if (scheduler.strikes('handed_twice')) {
        message.visibleAtMs = scheduler.now() + scheduler.dice.int(0, 5_000)
        watch.again(message, 'handed_twice')
      }
      received.push(message)
    }
    return received
  }

  const byHandle = (handle: string): Message | null => {
    const message = messages.get(handle.slice(0, handle.indexOf('/')))
    return message !== undefined && message.handle === handle ? message : null
  }

  return {
    send,
    receive,
    /** Messages that were handed out so far, each time. */
    handedOut: (): number => handedOut,
    /** False where the message is gone, or was handed out again since. */
    delete: (handle: string): boolean => {
      const message = byHandle(handle)
      if (message !== null) remove(message)
      return message !== null
    },
    /** Makes a message visible again: what a batch reports as failed, or an operator puts back. */
    release: (handle: string): void => {
      const message = byHandle(handle)
      if (message === null) return
      message.inFlight = false
      message.visibleAtMs = Math.min(message.visibleAtMs, scheduler.now())
    },
    /** AWS's own redrive: what lies in the dead-letter queue goes back to a lane as it is, as a new message. */
    redrive: (to: Lane, max: number): Message[] => {
      const some = visibleIn('dead').slice(0, max)
      for (const message of some) {
        send({ ...message, queue: to, delayMs: 0 })
        remove(message)
      }
      return some
    },
    /** PurgeQueue, of those that are about such a delivery: who empties a lane does not know what is in it. */
    empty: (queue: Lane, isMeant: (message: Message) => boolean): number => {
      const some = [...messages.values()].filter(message => message.queue === queue && isMeant(message))
      for (const message of some) remove(message)
      return some.length
    },
    /** When the next message of a lane can be received; null where it has none. */
    nextVisibleAtMs: (queue: QueueName): number | null => {
      let next: number | null = null
      for (const message of messages.values()) {
        if (message.queue === queue) next = Math.min(next ?? message.visibleAtMs, message.visibleAtMs)
      }
      return next
    },
    isAbout: (delivery: string): boolean => (byDelivery.get(delivery)?.size ?? 0) > 0,
    countIn: (queue: QueueName): number =>
      [...messages.values()].filter(message => message.queue === queue).length,
  }
}

export type Queues = ReturnType<typeof createQueues>
