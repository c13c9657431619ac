import { describe, expect, it } from 'vitest'
import { createDynamodbCounter } from '../../bench/price/count-dynamodb.ts'
import { createSqsCounter } from '../../bench/price/count-sqs.ts'
import type { Answer, Call } from '../../bench/price/counting-proxy.ts'
import type { Item } from '../../bench/price/item-units.ts'

const key = (sk: string) => ({ pk: { S: 'P' }, sk: { S: sk } })
const item = (sk: string, bytes: number, entry?: string): Item => ({
  ...key(sk),
  body: { S: 'x'.repeat(bytes) },
  ...(entry !== undefined && { ipk: { S: 'waiting' }, isk: { S: entry } }),
})
const request = (sk: string) => ({ TableName: 't', Key: key(sk) })

/** A table of one item a sort key, that a write of the test changes. */
const counted = () => {
  const usage = { writeUnits: 0, readUnits: 0, tableBytes: 0, calls: 0 }
  const counter = createDynamodbCounter(usage)
  const items = new Map<string, Item>()
  const put = (sk: string, is: Item) => items.set(sk, is)
  const call = (action: string, body: Record<string, unknown>, effect: () => Answer): Promise<Answer> => {
    const ask: Call['ask'] = async (other, otherBody) => {
      if (other === undefined) return effect()
      if (other === 'Query') return { status: 200, body: { Items: [...items.values()] } }
      const { Key } = { Key: key(''), ...otherBody }
      return { status: 200, body: { Item: items.get(JSON.parse(JSON.stringify(Key)).sk.S) } }
    }
    return counter({ action, body, ask })
  }
  return { usage, put, items, call }
}
const done: Answer = { status: 200, body: {} }
const refused: Answer = { status: 400, body: { __type: 'ConditionalCheckFailedException' } }

describe('the count of what the table is asked', () => {
  it('takes an item that is new by its size, and by what it adds to the storage', async () => {
    const { usage, put, call } = counted()
    await call('PutItem', { TableName: 't', Item: item('a', 1_500) }, () => {
      put('a', item('a', 1_500))
      return done
    })
    // 3 + 3 bytes of keys, 1,504 of the body.
    expect(usage).toEqual({ writeUnits: 2, readUnits: 0, tableBytes: 1_510 + 100, calls: 1 })
  })

  it('takes an entry of the index that moves for two writes more, and none for one that stays', async () => {
    const { usage, put, call } = counted()
    put('a', item('a', 10, '1'))
    await call('UpdateItem', request('a'), () => {
      put('a', item('a', 10, '2'))
      return done
    })
    expect(usage.writeUnits).toBe(3)
    await call('UpdateItem', request('a'), () => {
      put('a', item('a', 20, '2'))
      return done
    })
    expect(usage.writeUnits).toBe(4)
  })

  it('takes a write whose condition failed by what was there, and by one unit where nothing was', async () => {
    const { usage, put, call } = counted()
    put('a', item('a', 2_500))
    await call('DeleteItem', request('a'), () => refused)
    expect(usage.writeUnits).toBe(3)
    await call('UpdateItem', request('b'), () => refused)
    expect(usage.writeUnits).toBe(4)
    expect(usage.tableBytes).toBe(0)
  })

  it('takes each item of a batch that is read for itself, also one that is not there', async () => {
    const { usage, put, call } = counted()
    put('a', item('a', 5_000))
    const Keys = [key('a'), key('b')]
    await call('BatchGetItem', { RequestItems: { t: { Keys, ConsistentRead: true } } }, () => done)
    expect(usage.readUnits).toBe(2 + 1)
    await call('BatchGetItem', { RequestItems: { t: { Keys } } }, () => done)
    expect(usage.readUnits).toBe(3 + 1 + 0.5)
  })

  it('takes what a query read together, whole, whatever its projection leaves of it', async () => {
    const { usage, put, call } = counted()
    for (const sk of ['a', 'b', 'c']) put(sk, item(sk, 3_000))
    await call('Query', { TableName: 't', ConsistentRead: true, ProjectionExpression: 'sk' }, () => done)
    // Three times 3,010 bytes.
    expect(usage.readUnits).toBe(3)
  })

  it('takes a query that finds nothing for half a unit, or for one if consistent', async () => {
    const { usage, call } = counted()
    await call('Query', { TableName: 't' }, () => done)
    await call('Query', { TableName: 't', ConsistentRead: true }, () => done)
    expect(usage.readUnits).toBe(1.5)
  })
})

describe('the count of what the queues are asked', () => {
  const queue = () => {
    const usage = { sqsRequests: 0, sqsFairRequests: 0, calls: 0 }
    const counter = createSqsCounter(usage)
    const asked: unknown[] = []
    const call = (action: string, body: Record<string, unknown>, answer: unknown = {}) =>
      counter({
        action,
        body: { QueueUrl: 'q', ...body },
        ask: async (_action, other) => {
          asked.push(other)
          return { status: 200, body: answer }
        },
      })
    return { usage, asked, call }
  }
  const entries = (group: string | undefined, bytes: number) => [
    { Id: '1', MessageBody: 'x'.repeat(bytes), DelaySeconds: 300, ...(group && { MessageGroupId: group }) },
  ]

  it('takes requests with a group, and all that is done with such messages later, for fair ones', async () => {
    const { usage, call } = queue()
    await call('SendMessageBatch', { Entries: entries('ep', 70_000) })
    await call('ReceiveMessage', {}, { Messages: [{ Body: 'x'.repeat(70_000) }] })
    await call('DeleteMessageBatch', {})
    expect(usage).toEqual({ sqsRequests: 5, sqsFairRequests: 5, calls: 1 })
  })

  it('takes requests without a group for plain ones, and a receive that finds nothing for none', async () => {
    const { usage, call } = queue()
    await call('SendMessageBatch', { Entries: entries(undefined, 10) })
    await call('ReceiveMessage', {}, {})
    expect(usage).toEqual({ sqsRequests: 1, sqsFairRequests: 0, calls: 1 })
  })

  it('waits for no delay', async () => {
    const { asked, call } = queue()
    await call('SendMessageBatch', { Entries: entries('ep', 1) })
    expect(asked).toMatchObject([{ Entries: [{ DelaySeconds: 0 }] }])
  })
})
