import type {
  DeadLetterQueue,
  DeliveryQueue,
  EntryResult,
  QueueEntry,
} from '../../../shared/domain/delivery/delivery-queue.ts'
import { queueDelayMsMax } from '../../../shared/domain/delivery/delivery-queue.ts'
import type { MessageDeleter } from '../../../shared/domain/delivery/message-deleter.ts'
import { nextAttempt, rank } from '../../../shared/domain/delivery/position.ts'
import { messagesAtOnceMax } from '../../../shared/domain/polling/enqueue.ts'
import { call } from '../engine/call.ts'
import type { Process } from '../engine/process.ts'
import { nameOfDelivery } from '../twins/table.ts'
import { createPort, keyIn, messageIn, noteFault } from './ports.ts'
import type { World } from './world.ts'

const failed: EntryResult = { kind: 'failed', reason: 'injected' }
const sent: EntryResult = { kind: 'sent' }

/** Sends as SQS takes batches: some entries, all, or none; and what is told of it may be wrong. */
export const deliveryQueueOf = (world: World, process: Process): DeliveryQueue => ({
  send: entries => {
    const { scheduler, queues } = world
    // Invariant 9.
    if (entries.length > messagesAtOnceMax)
      scheduler.violate(`9: ${entries.length} messages were sent at once`)
    const about = entries.flatMap(({ body }) => keyIn(body) ?? [])
    const put = (entry: QueueEntry): EntryResult => {
      const { lane, group, body, faults } = entry
      const eventId = keyIn(body)?.eventId ?? ''
      if (world.isRefused(eventId)) {
        scheduler.count('send_refused')
        scheduler.note(`${eventId} is refused`)
        return { kind: 'refused', reason: 'injected' }
      }
      if (!(entry.delayMs >= 0 && entry.delayMs <= queueDelayMsMax)) {
        scheduler.violate(`9: a message was delayed for ${entry.delayMs} ms`)
      }
      // What a releaser leased before it stood still, another one has sent since.
      if (process.kind === 'releaser' && process.frozenAt >= 0) noteFault(world, 'frozen', about)
      queues.send({ queue: lane, group, body, faults, delayMs: Math.ceil(entry.delayMs / 1_000) * 1_000 })
      world.notePumped(lane)
      noteEnqueued(world, process, body)
      return sent
    }
    const apply = async (): Promise<EntryResult[]> => {
      const isPart = scheduler.strikes('part_failed')
      if (isPart) noteFault(world, 'part_failed', about)
      return entries.map(entry => (isPart && scheduler.dice.chance(0.5) ? failed : put(entry)))
    }
    return call(scheduler, process, {
      name: `send ${entries.length}`,
      apply,
      repeat: async first => entries.map((entry, at) => (first[at]?.kind === 'sent' ? put(entry) : failed)),
      failure: () => entries.map(() => failed),
      onFault: kind => noteFault(world, kind, about),
    })
  },
})

/** What a poller sends, or an operator who retries a record, is enqueued; what is sent again must have had a reason. */
const noteEnqueued = (world: World, process: Process, body: string): void => {
  const key = keyIn(body)
  if (key === null) return
  const { ledger, scheduler, table } = world
  const story = ledger.storyOf(key)
  if (process.kind === 'dispatcher') checkSentOn(world, process, body)
  if (process.kind === 'dispatcher' || process.kind === 'releaser') return
  story.enqueued += 1
  world.noteSent()
  if (ledger.seenAtStart.has(key.eventId))
    scheduler.violate(`1: ${nameOfDelivery(key)} was seen at the start, and was sent`)
  if (story.enqueued > 1) story.causes.add('enqueued_twice')
  const loggedAt = ledger.inLogSince.get(key.eventId)
  const event = table.seen.events.get(key.eventId)
  if (loggedAt === undefined || event === undefined) return
  const read = process.logReads.findLast(({ covers }) => covers(event))
  const readAt = read?.isShown(event.id) === true ? read.step : 0
  // Two pollers at once may do it; one that has read the log since never.
  if (loggedAt < readAt) scheduler.violate(`2: ${nameOfDelivery(key)} was sent again though the log holds it`)
}

/** What a dispatcher sends goes on from what is written, and from what it knows. */
const checkSentOn = (world: World, process: Process, body: string): void => {
  const message = messageIn(body)
  const hand = message === null ? undefined : process.inHand.get(nameOfDelivery(message))
  const before = hand === undefined ? null : messageIn(hand.body)
  if (message === null || before === null) return
  const { ledger, scheduler, table } = world
  const name = nameOfDelivery(message)
  const delivery = table.seen.deliveries.get(name)
  const position = delivery?.position
  if (rank(message) > rank(before)) {
    // The state first, then the message that goes on from it: else both would be tried where the write fails. An earlier
    // attempt's success may have been recorded over it since: who gets the message drops it.
    if (delivery?.state === 'delivered') return
    if (position === undefined || rank(nextAttempt(position)) < rank(message)) {
      scheduler.violate(`2: the next attempt of ${name} was sent before its state was written`)
    }
    return
  }
  const own = ledger
    .storyOf(message)
    .posts.find(post => post.process === process && post.invocation === process.invocation)
  if (own?.isAccepted === true && own.isAnswered && message.deliveredBy === null) {
    scheduler.violate(`2: ${name} was put off as if nobody had taken it`)
  }
}

export const deadLettersOf = (world: World, process: Process): DeadLetterQueue => ({
  send: entries =>
    call(world.scheduler, process, {
      name: `send ${entries.length} dead`,
      apply: async (): Promise<EntryResult[]> =>
        entries.map(({ group, body }) => {
          world.queues.send({ queue: 'dead', group, body, faults: null, delayMs: 0 })
          return sent
        }),
      repeat: async first => first,
      failure: () => entries.map(() => failed),
    }),
})

export const deleterOf = (world: World, process: Process): MessageDeleter => ({
  deleteMessages: createPort(world, process).write('delete early', async (_lane, handles) => {
    for (const { receiptHandle } of handles) world.queues.delete(receiptHandle)
  }),
})
