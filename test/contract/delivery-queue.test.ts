import type { SQSClient } from '@aws-sdk/client-sqs'
import type { SQSRecord } from 'aws-lambda'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LocalQueues, startLocalQueues } from '../../infra/local/local-queues.ts'
import { localClientSettings } from '../../infra/local/local-table.ts'
import {
  createMemoryDeadLetterQueue,
  createMemoryDeliveryQueue,
  createMemoryMessageDeleter,
} from '../../shared/adapters/memory/delivery-queues.ts'
import { createMemoryQueue } from '../../shared/adapters/memory/memory-queue.ts'
import { createQueueClient } from '../../shared/adapters/sqs/client.ts'
import { createDeadLetterQueue } from '../../shared/adapters/sqs/dead-letter-queue.ts'
import { createDeliveryQueue } from '../../shared/adapters/sqs/delivery-queue.ts'
import { reasonOf } from '../../shared/adapters/sqs/message-attributes.ts'
import { createMessageDeleter } from '../../shared/adapters/sqs/message-deleter.ts'
import { createMessageReceiver } from '../../shared/adapters/sqs/message-receiver.ts'
import type {
  DeadLetterQueue,
  DeliveryQueue,
  Lane,
  QueueEntry,
} from '../../shared/domain/delivery/delivery-queue.ts'
import { readFaults } from '../../shared/domain/delivery/fault-attributes.ts'
import type { MessageDeleter } from '../../shared/domain/delivery/message-deleter.ts'

type Queues = {
  queue: DeliveryQueue
  deadLetters: DeadLetterQueue
  deleter: MessageDeleter
  /** All that can be received now. */
  receiveAll(from: Lane | 'deadLetters'): Promise<SQSRecord[]>
  /** Waits until there is a message, where a delay of a second or less holds it up. */
  receiveNext(from: Lane): Promise<SQSRecord[]>
}

const entry = (body: string, fields: Partial<QueueEntry> = {}): QueueEntry => ({
  lane: 'fast',
  group: 'shop',
  body,
  delayMs: 0,
  faults: null,
  ...fields,
})
const sent = { kind: 'sent' }
const bodies = (records: readonly SQSRecord[]) => records.map(record => record.body).toSorted()
const mebibyte = 1_048_576

const describeDeliveryQueue = (name: string, create: () => Promise<Queues>) =>
  describe(`delivery queue: ${name}`, () => {
    it('sends more than one batch to both lanes, with a result an entry', async () => {
      const { queue, receiveAll } = await create()
      const entries = Array.from({ length: 37 }, (_, n) =>
        entry(`${n}`, { lane: n % 3 === 0 ? 'slow' : 'fast' }),
      )
      expect(await queue.send(entries)).toEqual(entries.map(() => sent))
      for (const lane of ['fast', 'slow'] as const) {
        const expected = entries.filter(each => each.lane === lane).map(each => each.body)
        expect(bodies(await receiveAll(lane))).toEqual(expected.toSorted())
      }
    })

    it('sends nothing of nothing', async () => {
      expect(await (await create()).queue.send([])).toEqual([])
    })

    it('sends large bodies apart, so that no batch is larger than the queue takes', async () => {
      const { queue, receiveAll } = await create()
      const large = ['a', 'b', 'c', 'd', 'e'].map(letter => letter.repeat(mebibyte * 0.4))
      const all = [...large, 'f'.repeat(mebibyte)]
      expect(await queue.send(all.map(body => entry(body)))).toEqual(all.map(() => sent))
      expect(bodies(await receiveAll('fast'))).toEqual(all)
    })

    it('refuses what the queue will never take, and sends the rest', async () => {
      const { queue, receiveAll } = await create()
      const results = await queue.send([
        entry('first'),
        entry('x'.repeat(mebibyte + 1)),
        entry('a control character: \u0000'),
        entry(''),
        entry('é'.repeat(mebibyte / 2), { faults: { count: 1, sinceMs: 1 } }),
        entry('last'),
      ])
      expect(results.map(result => result.kind)).toEqual([
        'sent',
        'refused',
        'refused',
        'refused',
        'refused',
        'sent',
      ])
      expect(bodies(await receiveAll('fast'))).toEqual(['first', 'last'])
    })

    it('keeps the fault count beside the body', async () => {
      const { queue, receiveAll } = await create()
      await queue.send([
        entry('sound'),
        entry('unreadable {', { faults: { count: 3, sinceMs: 1_795_132_800_000 } }),
      ])
      const records = await receiveAll('fast')
      const faults = new Map(records.map(record => [record.body, readFaults(record.messageAttributes)]))
      expect(faults.get('sound')).toBeNull()
      expect(faults.get('unreadable {')).toEqual({ count: 3, sinceMs: 1_795_132_800_000 })
    })

    it('hands out nothing before its delay, in whole seconds, rounded up', async () => {
      const { queue, receiveAll, receiveNext } = await create()
      await queue.send([entry('later', { delayMs: 1 })])
      expect(await receiveAll('fast')).toEqual([])
      expect(bodies(await receiveNext('fast'))).toEqual(['later'])
    })

    it('takes the longest delay, and no longer one', async () => {
      const { queue, receiveAll } = await create()
      const entries = [entry('a', { delayMs: 900_000 }), entry('b', { delayMs: 5_000_000 })]
      expect(await queue.send(entries)).toEqual([sent, sent])
      expect(await receiveAll('fast')).toEqual([])
    })

    it('leaves out a group that is no valid one', async () => {
      const { queue } = await create()
      const entries = [
        entry('a', { group: null }),
        entry('b', { group: '' }),
        entry('c', { group: 'ü'.repeat(200) }),
      ]
      expect(await queue.send(entries)).toEqual([sent, sent, sent])
    })

    it('hands a message out once while it is in flight', async () => {
      const { queue, receiveAll } = await create()
      await queue.send([entry('a')])
      const [record] = await receiveAll('fast')
      expect(record?.attributes.ApproximateReceiveCount).toBe('1')
      expect(await receiveAll('fast')).toEqual([])
    })

    it('deletes more than one batch of messages, and says nothing of one that is gone', async () => {
      const { queue, deleter, receiveAll } = await create()
      await queue.send(Array.from({ length: 23 }, (_, n) => entry(`${n}`)))
      const records = await receiveAll('fast')
      expect(records).toHaveLength(23)
      await deleter.deleteMessages('fast', records)
      await deleter.deleteMessages('fast', records)
      await deleter.deleteMessages('fast', [])
    })

    it('keeps a dead letter with its reason, cut and cleaned', async () => {
      const { deadLetters, receiveAll } = await create()
      const reason = `not \u0000JSON${'!'.repeat(2_000)}`
      const entries = [
        { group: 'shop', body: 'unreadable {', reason },
        { group: null, body: 'no reason', reason: '' },
        { group: null, body: 'x'.repeat(mebibyte), reason: 'too large with its reason' },
      ]
      expect((await deadLetters.send(entries)).map(result => result.kind)).toEqual([
        'sent',
        'sent',
        'refused',
      ])
      const reasons = new Map(
        (await receiveAll('deadLetters')).map(record => [record.body, reasonOf(record)]),
      )
      expect([...reasons.keys()].toSorted()).toEqual(['no reason', 'unreadable {'])
      expect(reasons.get('no reason')).toBe('unknown')
      expect(reasons.get('unreadable {')).toBe(`not JSON${'!'.repeat(991)}`)
    })
  })

let queues: LocalQueues
let client: SQSClient
beforeAll(async () => {
  queues = await startLocalQueues()
  client = createQueueClient({ ...localClientSettings, endpoint: queues.endpoint })
})
afterAll(async () => {
  client.destroy()
  await queues.close()
})

const createSqs = async (): Promise<Queues> => {
  const { queueUrls } = queues
  const receiverOf = (from: Lane | 'deadLetters') =>
    createMessageReceiver({ client, queueUrl: queueUrls[from] })
  const receiveAll = async (from: Lane | 'deadLetters') => {
    const records: SQSRecord[] = []
    for (;;) {
      const some = await receiverOf(from).receive({ waitSeconds: 0 })
      if (some.length === 0) return records
      records.push(...some)
    }
  }
  return {
    queue: createDeliveryQueue({ client, queueUrls }),
    deadLetters: createDeadLetterQueue({ client, queueUrls }),
    deleter: createMessageDeleter({ client, queueUrls }),
    receiveAll,
    receiveNext: from => receiverOf(from).receive({ waitSeconds: 10 }),
  }
}

const createMemory = async (): Promise<Queues> => {
  let nowMs = 1_795_132_800_000
  const newQueue = () => createMemoryQueue({ now: () => nowMs, visibilityTimeoutMs: 30_000 })
  const all = { fast: newQueue(), slow: newQueue(), deadLetters: newQueue() }
  const receiveAll = async (from: Lane | 'deadLetters') => {
    const records: SQSRecord[] = []
    for (let some = all[from].receive(); some.length > 0; some = all[from].receive()) records.push(...some)
    return records
  }
  return {
    queue: createMemoryDeliveryQueue({ lanes: all }),
    deadLetters: createMemoryDeadLetterQueue({ queue: all.deadLetters }),
    deleter: createMemoryMessageDeleter({ lanes: all }),
    receiveAll,
    receiveNext: async from => {
      nowMs = all[from].nextVisibleAtMs() ?? nowMs
      return all[from].receive()
    },
  }
}

describeDeliveryQueue('twin in memory', createMemory)
describeDeliveryQueue('SQS', createSqs)
