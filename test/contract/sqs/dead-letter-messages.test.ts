import type { SQSClient } from '@aws-sdk/client-sqs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { localClientSettings } from '../../../infra/local/client-settings.ts'
import { type LocalQueues, startLocalQueues } from '../../../infra/local/local-queues.ts'
import { createQueueClient } from '../../../shared/adapters/sqs/client.ts'
import { createDeadLetterMessages } from '../../../shared/adapters/sqs/dead-letter-messages.ts'
import { createDeadLetterQueue } from '../../../shared/adapters/sqs/dead-letter-queue.ts'
import type { DeadLetterMessage } from '../../../shared/domain/replay/dead-letter-messages.ts'

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

test('dead letters are received once with reason and time, removed, or shown again', async () => {
  const { queueUrls } = queues
  const messages = createDeadLetterMessages({ client, queueUrls })
  const all = async (): Promise<DeadLetterMessage[]> => {
    const found: DeadLetterMessage[] = []
    for (;;) {
      const some = await messages.receive()
      if (some.length === 0) return found
      found.push(...some)
    }
  }
  const bodies = Array.from({ length: 23 }, (_, at) => `body-${at}`)
  const beforeMs = Date.now()
  const entries = bodies.map(body => ({ group: null, body, reason: `why ${body}` }))
  await createDeadLetterQueue({ client, queueUrls }).send(entries)

  const found = await all()
  expect(found.map(({ body, reason }) => `${body}: ${reason}`).toSorted()).toEqual(
    bodies.map(body => `${body}: why ${body}`).toSorted(),
  )
  expect(new Set(found.map(({ messageId }) => messageId)).size).toBe(23)
  expect(found.every(({ sentAtMs }) => sentAtMs >= beforeMs - 1_000 && sentAtMs <= Date.now())).toBe(true)

  const gone = found.filter(({ body }) => body.endsWith('1'))
  expect(await messages.remove(gone)).toBe(3)
  await messages.release(found.filter(message => !gone.includes(message)))
  expect((await all()).map(({ body }) => body).toSorted()).toEqual(
    bodies.filter(body => !body.endsWith('1')).toSorted(),
  )
  expect(await messages.remove([])).toBe(0)
  await messages.release([])
})
