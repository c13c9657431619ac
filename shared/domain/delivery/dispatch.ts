import { faultOf } from '../bridge-error.ts'
import { createOutcomeTally } from './batch-outcomes.ts'
import { type DeliverDeps, deliver, type OfBatch } from './deliver.ts'
import type { Delivery, DeliveryKey } from './delivery.ts'
import type { DeliveryMessage, HeartbeatMessage } from './delivery-message.ts'
import { createEarlyDeletion } from './early-deletion.ts'
import { type EndBatchDeps, endBatch } from './end-batch.ts'
import { createHeartbeatTally } from './heartbeat-tally.ts'
import type { MessageDeleter } from './message-deleter.ts'
import { putOff, sendOne } from './own-fault.ts'
import { createPaceGate, type PaceGate, type PaceStore } from './pace-gate.ts'
import { rank } from './position.ts'
import { type DeliveriesRead, readDeliveries } from './read-deliveries.ts'
import { decodeReceived, type ReceivedMessage } from './received-message.ts'
import { type HeartbeatSenderDeps, sendHeartbeat } from './send-heartbeat.ts'
import { reportDrop } from './settle.ts'

export type DispatcherDeps = DeliverDeps &
  HeartbeatSenderDeps &
  EndBatchDeps & {
    deleter: MessageDeleter
    paces: PaceStore
  }
type BatchDeps = DispatcherDeps & OfBatch

/** The messages that the queue is to keep, by id; every other one is done with. */
export type DispatchResult = { failedMessageIds: string[] }

type Readable = { received: ReceivedMessage; message: DeliveryMessage }
type ReceivedHeartbeat = { received: ReceivedMessage; heartbeat: HeartbeatMessage }

/**
 * The dispatcher: tries the deliveries of a batch, all at once and each on its own (DESIGN.md, section 6). Never
 * throws: what fails is put off, and what can't be is left to the queue.
 */
export const createDispatcher =
  (deps: DispatcherDeps) =>
  async (batch: readonly ReceivedMessage[]): Promise<DispatchResult> => {
    const failedMessageIds: string[] = []
    const early = createEarlyDeletion(deps)
    const end = (received: ReceivedMessage, done: boolean): void => {
      if (done) early.settled(received)
      else failedMessageIds.push(received.messageId)
    }
    const { readable, heartbeats, others } = sort(batch, deps)
    const ending = others.map(async ({ received, done }) => end(received, await done))
    const ofBatch = {
      pace: paceOf([...readable.map(toEndpoint), ...heartbeats.map(of => of.heartbeat.endpointId)], deps),
      outcomes: createOutcomeTally(),
      heartbeatCounts: createHeartbeatTally(),
    }
    const beating = heartbeats.map(async of => {
      await sendHeartbeat(of, { ...deps, ...ofBatch })
      end(of.received, true)
    })
    await Promise.all([...ending, ...beating, dispatchReadable(readable, end, { ...deps, ...ofBatch })])
    await Promise.all([early.stop(), endBatch(ofBatch, deps)])
    return { failedMessageIds }
  }

const toEndpoint = ({ message }: Readable): string => message.endpointId

/** `endpointIds`: whom the batch's messages are for, each as often as it has one. */
const paceOf = (endpointIds: readonly string[], deps: DispatcherDeps): PaceGate =>
  createPaceGate(deps, endpointId => endpointIds.filter(id => id === endpointId).length)

type End = (received: ReceivedMessage, done: boolean) => void

/** Messages that can be read, and what becomes of those that can't. */
const sort = (
  batch: readonly ReceivedMessage[],
  deps: DispatcherDeps,
): {
  readable: Readable[]
  heartbeats: ReceivedHeartbeat[]
  others: { received: ReceivedMessage; done: Promise<boolean> }[]
} => {
  const readable: Readable[] = []
  const heartbeats: ReceivedHeartbeat[] = []
  const others: { received: ReceivedMessage; done: Promise<boolean> }[] = []
  for (const received of batch) {
    const decoded = decodeReceived(received)
    if (decoded.kind === 'message') readable.push({ received, message: decoded.message })
    else if (decoded.kind === 'heartbeat') heartbeats.push({ received, heartbeat: decoded.heartbeat })
    else if (decoded.kind === 'newer') others.push({ received, done: leaveToNewer(received, deps) })
    else others.push({ received, done: giveUpUnreadable(received, decoded.reason, deps) })
  }
  return { readable, heartbeats, others }
}

const leaveToNewer = (received: ReceivedMessage, deps: DispatcherDeps): Promise<boolean> => {
  const fault = { reason: 'newer_message', hint: 'A newer version wrote it: let that version run.' }
  return putOff({ received, body: received.body, ...unknown, fault }, deps)
}

const giveUpUnreadable = async (
  received: ReceivedMessage,
  reason: string,
  deps: DispatcherDeps,
): Promise<boolean> => {
  const { body, group } = received
  const result = await sendOne(() => deps.deadLetters.send([{ group, body, reason }]))
  if (result.kind === 'sent') {
    deps.reporter.report({ kind: 'unreadable_message', reason })
    return true
  }
  const fault = { reason: result.reason, hint: 'The dead-letter queue did not take an unreadable message.' }
  return putOff({ received, body, ...unknown, fault }, deps)
}

const unknown = { eventId: null, endpointId: null }

/** A delivery that can't be read puts off its own messages; what else the table throws, those of the whole batch. */
const dispatchReadable = async (readable: readonly Readable[], end: End, deps: BatchDeps): Promise<void> => {
  const groups = Map.groupBy(readable, ({ message }) => nameOf(message))
  const keys = [...groups.values()].flatMap(([first]) => (first === undefined ? [] : [keyOf(first.message)]))
  let read: DeliveriesRead
  try {
    read = await readDeliveries(keys, deps.store)
  } catch (error) {
    await putAllOff(readable, error, end, deps)
    return
  }
  const known = new Map(read.deliveries.map(delivery => [nameOf(delivery), delivery]))
  const errors = new Map(read.unreadable.map(({ key, error }) => [nameOf(key), error]))
  await Promise.all(
    [...groups].map(([name, group]) => {
      const error = errors.get(name)
      if (error !== undefined) return putAllOff(group, error, end, deps)
      return dispatchDelivery(group, known, end, deps)
    }),
  )
}

const putAllOff = async (
  readable: readonly Readable[],
  error: unknown,
  end: End,
  deps: BatchDeps,
): Promise<void> => {
  const fault = faultOf(error)
  await Promise.all(
    readable.map(async ({ received, message: { eventId, endpointId } }) =>
      end(received, await putOff({ received, body: received.body, eventId, endpointId, fault }, deps)),
    ),
  )
}

/**
 * The messages of one delivery, one after the other, so that a batch never POSTs an event twice to an endpoint. A
 * copy that asks for no more than one before it did is dropped: either that one's outcome is in the table, or its
 * message is in a queue.
 */
const dispatchDelivery = async (
  group: readonly Readable[],
  known: ReadonlyMap<string, Delivery>,
  end: End,
  deps: BatchDeps,
): Promise<void> => {
  let taken = 0
  for (const { received, message } of group.toSorted(successesFirst)) {
    if (rank(message) <= taken) {
      reportDrop(message, 'same_batch', deps.reporter)
      end(received, true)
      continue
    }
    const before = taken === 0 ? (known.get(nameOf(message)) ?? null) : 'read'
    taken = rank(message)
    end(received, await deliverOne({ received, message, before }, deps))
  }
}

const deliverOne = async (
  of: Readable & { before: Delivery | null | 'read' },
  deps: BatchDeps,
): Promise<boolean> => {
  const { received, message } = of
  if (of.before !== 'read') return deliver({ received, message, before: of.before }, deps)
  try {
    return await deliver({ received, message, before: await deps.store.read(keyOf(message)) }, deps)
  } catch (error) {
    const { eventId, endpointId } = message
    return putOff({ received, body: received.body, eventId, endpointId, fault: faultOf(error) }, deps)
  }
}

/** A success that is only to be recorded goes first, then the furthest attempt. */
const successesFirst = (one: Readable, other: Readable): number =>
  Number(other.message.deliveredBy !== null) - Number(one.message.deliveredBy !== null) ||
  rank(other.message) - rank(one.message)

const keyOf = ({ endpointId, eventId }: DeliveryKey): DeliveryKey => ({ endpointId, eventId })
const nameOf = ({ endpointId, eventId }: DeliveryKey): string => `${endpointId} ${eventId}`
