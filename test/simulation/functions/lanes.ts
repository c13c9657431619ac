import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda'
import { faultAttributes } from '../../../shared/adapters/sqs/message-attributes.ts'
import { type Lane, lanes } from '../../../shared/domain/delivery/delivery-queue.ts'
import type { Event } from '../engine/event-heap.ts'
import type { Process } from '../engine/process.ts'
import type { Message } from '../twins/queues.ts'
import { nameOfDelivery } from '../twins/table.ts'
import { dispatcherOf, laneArns } from './compose.ts'
import { createEnvironments } from './environments.ts'
import { noteFault } from './ports.ts'
import { searchError } from './telemetry.ts'
import type { World } from './world.ts'

/** As the stack sets them. */
const timeoutMs = 60_000
const concurrencyMax = 3
const batchMax = 10
const pollMsMax = 200

/** Hands the lanes' messages to dispatchers, as Lambda's event source mapping does. */
export const createLanes = (world: World) => {
  const { scheduler, queues } = world
  const functions = new Map(
    lanes.map(lane => [
      lane,
      createEnvironments<SQSEvent, SQSBatchResponse>(scheduler, {
        kind: 'dispatcher',
        timeoutMs,
        build: process => dispatcherOf(world, process),
        threw: (process, error) => searchError(world, process, error),
      }),
    ]),
  )
  const looks = new Map<Lane, Event>()

  const end = (
    messages: readonly Message[],
    handles: readonly string[],
    result: SQSBatchResponse | null,
  ): void => {
    if (result === null) return
    const failed = new Set(result.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier))
    for (const [at, message] of messages.entries()) {
      const handle = handles[at] ?? ''
      if (failed.has(message.id)) queues.release(handle)
      else if (scheduler.strikes('delete_failed')) noteMessage(world, message)
      else queues.delete(handle)
    }
  }

  const look = (lane: Lane): void => {
    looks.delete(lane)
    const dispatchers = functions.get(lane)
    if (dispatchers === undefined || dispatchers.running() >= concurrencyMax) return
    const messages = queues.receive(lane, scheduler.dice.int(1, batchMax))
    if (messages.length > 0) {
      const handles = messages.map(({ handle }) => handle ?? '')
      const event = { Records: messages.map((message, at) => recordOf(message, handles[at] ?? '')) }
      const prepare = (process: Process): void => takeInHand(process, messages)
      scheduler.note(`${lane} lane: ${messages.map(({ id }) => id).join(' ')}`)
      dispatchers.invoke(event, prepare, (process, result) => {
        // Done with all of them, and nobody has deleted them.
        const death = scheduler.deaths.strike(process, { name: 'end of batch', isWrite: false })
        if (death !== 'no') scheduler.note(`${process.id} died at the end of its batch`)
        if (death !== 'no') scheduler.kill(process)
        end(messages, handles, death === 'no' ? result : null)
        notePumped(lane)
        scheduler.note(`${process.id} is done`)
      })
    }
    notePumped(lane)
  }

  const notePumped = (lane: Lane): void => {
    const nextMs = queues.nextVisibleAtMs(lane)
    if (nextMs === null) return
    const known = looks.get(lane)
    const atMs = Math.max(nextMs, scheduler.now())
    if (known !== undefined && known.atMs <= atMs + pollMsMax) return
    if (known !== undefined) known.cancelled = true
    const lookAtMs = atMs + scheduler.dice.int(1, pollMsMax)
    looks.set(
      lane,
      scheduler.at(lookAtMs, `${lane} lane`, 'looks', () => look(lane)),
    )
  }

  return {
    notePumped,
    /** Also where a dispatcher died, and nobody told the lane. */
    lookAgain: (): void => {
      for (const lane of lanes) notePumped(lane)
    },
    running: (): number => [...functions.values()].reduce((sum, one) => sum + one.running(), 0),
    killAll: (): void => {
      for (const one of functions.values()) one.killAll()
    },
  }
}

export type Lanes = ReturnType<typeof createLanes>

/** What may bring it to a second dispatcher is on record, for each delivery that it is about. */
export const noteMessage = (world: World, { decoded }: Message): void => {
  if (decoded.kind === 'message') noteFault(world, 'delete_failed', [decoded.message])
}

const takeInHand = (process: Process, messages: readonly Message[]): void => {
  for (const { id, body, decoded } of messages) {
    if (decoded.kind !== 'message') continue
    const { endpointId, eventId, round } = decoded.message
    const name = nameOfDelivery(decoded.message)
    const other = process.inHand.get(name)
    if (other !== undefined && other.round >= round) continue
    process.inHand.set(name, { endpointId, eventId, messageId: id, body, round, read: null })
  }
}

const recordOf = (message: Message, receiptHandle: string): SQSRecord => ({
  messageId: message.id,
  receiptHandle,
  body: message.body,
  attributes: {
    ApproximateReceiveCount: String(message.receipts),
    SentTimestamp: String(message.sentAtMs),
    SenderId: '',
    ApproximateFirstReceiveTimestamp: '0',
    ...(message.group !== null && { MessageGroupId: message.group }),
  },
  messageAttributes: faultAttributes(message.faults),
  md5OfBody: '',
  eventSource: 'aws:sqs',
  eventSourceARN: laneArns[message.queue === 'slow' ? 'slow' : 'fast'],
  awsRegion: '',
})
