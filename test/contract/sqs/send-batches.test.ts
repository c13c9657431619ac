import { createHash } from 'node:crypto'
import { afterEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { localClientSettings } from '../../../infra/local/local-table.ts'
import { createQueueClient } from '../../../shared/adapters/sqs/client.ts'
import { createDeliveryQueue } from '../../../shared/adapters/sqs/delivery-queue.ts'
import { createMessageDeleter } from '../../../shared/adapters/sqs/message-deleter.ts'
import type { QueueEntry } from '../../../shared/domain/delivery/delivery-queue.ts'
import { type Answer, startMeddler } from '../support/meddler.ts'

const cleanups: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

const requestSchema = z.object({
  Entries: z.array(
    z.looseObject({
      Id: z.string(),
      MessageBody: z.string().default(''),
      MessageGroupId: z.string().optional(),
    }),
  ),
})
type Entries = z.infer<typeof requestSchema>['Entries']
type Failed = { Id: string; SenderFault: boolean; Code: string }

const error = (name: string): Answer => ({
  status: 400,
  text: JSON.stringify({ __type: `com.amazonaws.sqs#${name}` }),
})
const taken = (entries: Entries, failed: Failed[] = []): Answer => {
  const failedIds = new Set(failed.map(each => each.Id))
  const successful = entries
    .filter(({ Id }) => !failedIds.has(Id))
    .map(({ Id, MessageBody }) => ({
      Id,
      MessageId: Id,
      MD5OfMessageBody: createHash('md5').update(MessageBody).digest('hex'),
    }))
  return { status: 200, text: JSON.stringify({ Successful: successful, Failed: failed }) }
}

/** SQS that answers as the test says; it keeps what it was asked. */
const queueThatAnswers = async (answerTo: (entries: Entries) => Answer) => {
  const asked: Entries[] = []
  const meddler = await startMeddler('', async (_, text) => {
    const entries = requestSchema.parse(JSON.parse(text)).Entries
    asked.push(entries)
    return answerTo(entries)
  })
  const client = createQueueClient({ ...localClientSettings, endpoint: meddler.endpoint })
  cleanups.push(meddler.close, () => client.destroy())
  const queueUrls = { fast: `${meddler.endpoint}/1/fast`, slow: `${meddler.endpoint}/1/slow` }
  return {
    queue: createDeliveryQueue({ client, queueUrls }),
    deleter: createMessageDeleter({ client, queueUrls }),
    asked,
  }
}

const entry = (body: string, group: string | null = 'shop'): QueueEntry => ({
  lane: 'fast',
  group,
  body,
  delayMs: 0,
  faults: null,
})
const kinds = (results: readonly { kind: string }[]) => results.map(result => result.kind)

describe('sending a batch to SQS', () => {
  it('names the fair-queue group of each entry', async () => {
    const { queue, asked } = await queueThatAnswers(entries => taken(entries))
    await queue.send([entry('a', 'shop'), entry('b', 'crm'), entry('c', null), entry('d', 'no group')])
    expect(asked.map(entries => entries.map(each => each.MessageGroupId))).toEqual([
      ['shop', 'crm', undefined, undefined],
    ])
  })

  it('takes a fault of the message for a refusal, and any other failure for one that may pass', async () => {
    const codes = [
      'InvalidMessageContents',
      'AWS.SimpleQueueService.MessageTooLong',
      'InternalError',
      'KmsThrottled',
    ]
    const { queue } = await queueThatAnswers(entries =>
      taken(
        entries,
        codes.map((Code, n) => ({ Id: String(n), SenderFault: Code !== 'InternalError', Code })),
      ),
    )
    const results = await queue.send(['a', 'b', 'c', 'd', 'e'].map(body => entry(body)))
    expect(results).toEqual([
      ...codes.map((reason, n) => ({ kind: n < 2 ? 'refused' : 'failed', reason })),
      { kind: 'sent' },
    ])
  })

  it('says that all of a batch failed where the call did, and goes on with the others', async () => {
    const { queue } = await queueThatAnswers(entries =>
      entries.some(each => each.MessageBody === '3') ? error('KmsDisabled') : taken(entries),
    )
    const results = await queue.send(Array.from({ length: 12 }, (_, n) => entry(String(n))))
    expect(kinds(results)).toEqual([...Array(10).fill('failed'), 'sent', 'sent'])
    expect(results[0]).toEqual({ kind: 'failed', reason: 'KmsDisabled' })
  })

  it.each(['InvalidMessageContents', 'BatchRequestTooLong'])(
    'sends each alone where the call fails with %s, to tell which is refused',
    async name => {
      const { queue, asked } = await queueThatAnswers(entries =>
        entries.some(each => each.MessageBody === 'bad') ? error(name) : taken(entries),
      )
      const results = await queue.send([entry('a'), entry('bad'), entry('c')])
      expect(results).toEqual([{ kind: 'sent' }, { kind: 'refused', reason: name }, { kind: 'sent' }])
      expect(asked.map(entries => entries.length)).toEqual([3, 1, 1, 1])
    },
  )

  it('says failed where an entry has no result', async () => {
    const { queue } = await queueThatAnswers(entries => taken(entries.slice(0, 1)))
    expect(await queue.send([entry('a'), entry('b')])).toEqual([
      { kind: 'sent' },
      { kind: 'failed', reason: 'no result' },
    ])
  })

  it('sends nothing that is too large', async () => {
    const { queue, asked } = await queueThatAnswers(entries => taken(entries))
    expect(kinds(await queue.send([entry('x'.repeat(1_048_577))]))).toEqual(['refused'])
    expect(asked).toEqual([])
  })
})

describe('deleting messages from SQS', () => {
  const handles = Array.from({ length: 12 }, (_, n) => ({ messageId: `m${n}`, receiptHandle: `r${n}` }))

  it('says how many were not deleted, after trying all', async () => {
    const { deleter, asked } = await queueThatAnswers(entries =>
      entries.length === 2
        ? error('AccessDenied')
        : taken(entries, [{ Id: '0', SenderFault: true, Code: 'ReceiptHandleIsInvalid' }]),
    )
    await expect(deleter.deleteMessages('fast', handles)).rejects.toMatchObject({
      code: 'messages_not_deleted',
      message: '3 of 12 messages were not deleted: ReceiptHandleIsInvalid, AccessDenied',
    })
    expect(asked.map(entries => entries.length).toSorted()).toEqual([10, 2])
  })
})
