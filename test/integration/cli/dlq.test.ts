import { describe, expect, test } from 'vitest'
import { localClientSettings } from '../../../infra/local/client-settings.ts'
import type { Emulators } from '../../../infra/local/emulators.ts'
import { createQueueClient } from '../../../shared/adapters/sqs/client.ts'
import { createDeadLetterMessages } from '../../../shared/adapters/sqs/dead-letter-messages.ts'
import { createDeadLetterQueue } from '../../../shared/adapters/sqs/dead-letter-queue.ts'
import { encodeMessage } from '../../../shared/domain/delivery/delivery-message.ts'
import { deliveryReasons } from '../../../shared/domain/delivery/reasons.ts'
import type { LoggedEvent } from '../../../shared/domain/polling/event-log.ts'
import { messageFromLog } from '../../../shared/domain/release/message-from-log.ts'
import { jsonOf } from './bridge-command.ts'
import { deadOf, holdTable } from './dead-letters.ts'
import { deliveryOf, endpointOf } from './filled-table.ts'
import { bounceAt } from './sample-deliveries.ts'

const hour = 3_600

const a = bounceAt(hour, 'a')
const b = bounceAt(2 * hour, 'b', { rcpt: 'jo@b.example' })
const c = bounceAt(30 * hour, 'c', { bounce_type: 's' })
const world = () =>
  holdTable({
    events: [a, b, c],
    deliveries: [
      deadOf(a, { dueMs: 3_000 }),
      deadOf(b, { dueMs: 1_000, reason: 'timeout' }),
      deadOf(c, { dueMs: 2_000, endpointId: 'shop' }),
      deliveryOf(a, { endpointId: 'shop' }),
    ],
  })

/** The dead-letter queue, with the copies that the dispatcher wrote. */
const openQueue = ({ sqs, queueUrls }: Pick<Emulators, 'sqs' | 'queueUrls'>) => {
  const client = createQueueClient({ ...localClientSettings, endpoint: sqs.endpoint })
  const messages = createDeadLetterMessages({ client, queueUrls })
  const queue = createDeadLetterQueue({ client, queueUrls })
  return {
    send: (bodies: readonly string[]) =>
      queue.send(bodies.map(body => ({ group: null, body, reason: 'not JSON' }))),
    copyOf: (event: LoggedEvent, endpointId = 'crm') =>
      encodeMessage(messageFromLog({ event, endpointId, position: { round: 2, attempt: 1 } })),
    bodies: async (): Promise<string[]> => {
      const found = await messages.receive()
      await messages.release(found)
      return found.map(({ body }) => body)
    },
    [Symbol.dispose]: () => client.destroy(),
  }
}

describe('bridge dlq list', () => {
  test('finds dead letters by endpoint, type, time, reason, recipient domain and id, in either order', async () => {
    await using folder = await world()
    const names = new Map([a, b, c].map(({ id, recordId }) => [id, recordId]))
    const listed = async (args: string): Promise<string[]> => {
      const { deadLetters } = jsonOf(await folder.bridge(`dlq list --json ${args}`.trimEnd()))
      return deadLetters.map(
        ({ event, endpoint }: { event: string; endpoint: string }) => `${names.get(event)} ${endpoint}`,
      )
    }
    const cases: [string, string[]][] = [
      ['', ['a crm', 'c shop', 'b crm']],
      ['--order oldest', ['b crm', 'c shop', 'a crm']],
      ['--endpoint crm --since 90m', ['a crm']],
      ['--types email.bounce.soft --until 1d', ['c shop']],
      ['--reason http_5*', ['a crm', 'c shop']],
      ['--recipient-domains B.example', ['b crm']],
      [`--ids ${b.id},${a.id} --reason timeout`, ['b crm']],
    ]
    for (const [args, found] of cases) expect([args, await listed(args)]).toEqual([args, found])
  })

  test('shows each in a row, and tells what is wrong', async () => {
    await using folder = await world()
    const { stdout } = await folder.bridge('dlq list --endpoint crm --limit 1')
    expect(stdout.split('\n').map(line => line.split(/ {2,}/))).toEqual([
      ['EVENT', 'ENDPOINT', 'TYPE', 'REASON', 'ATTEMPT', 'GIVEN UP'],
      [a.id, 'crm', 'email.bounce.hard', 'http_500', '1.10', expect.stringMatching(/Z$/)],
      [''],
    ])
    const wrong = await folder.bridge('dlq list --reason HTTP --ids evt_1')
    expect([wrong.code, wrong.stderr.split('\n').length]).toEqual([2, 3])
  })
})

describe('bridge dlq show', () => {
  test('tells why it was given up; the endpoint may be left out where there is one', async () => {
    await using folder = await world()
    const { code, stdout } = await folder.bridge(`dlq show ${b.id}`)
    expect([code, stdout]).toEqual([0, expect.stringContaining(`timeout, ${deliveryReasons.timeout}`)])
    expect(jsonOf(await folder.bridge(`dlq show ${a.id} crm --json`))).toMatchObject({
      event: a.id,
      endpoint: 'crm',
      type: 'email.bounce.hard',
      state: 'dead',
    })
    const delivered = await folder.bridge(`dlq show ${a.id} shop`)
    expect([delivered.code, delivered.stderr.split('\n')[0]]).toEqual([
      1,
      'bridge: the event is no dead letter: delivered for shop',
    ])
  })
})

describe('messages that no code can read', () => {
  test('are listed, shown raw and deleted, beside those that can be read', async () => {
    await using folder = await world()
    using queue = openQueue(folder.emulators)
    const newer = '{"v":2}'
    await queue.send(['{"v":1', queue.copyOf(a), newer])
    const { messages, complete } = jsonOf(await folder.bridge('dlq list --unreadable --json'))
    expect([messages.map(({ reason }: { reason: string }) => reason).toSorted(), complete]).toEqual([
      ['newer version 2', 'not JSON'],
      true,
    ])
    const id: string = messages.find(({ reason }: { reason: string }) => reason === 'not JSON').message
    const shown = await folder.bridge(`dlq show ${id}`)
    expect([shown.code, shown.stdout.endsWith('\n\n{"v":1\n')]).toEqual([0, true])
    expect((await folder.bridge('dlq purge --unreadable')).code).toBe(2)
    expect(jsonOf(await folder.bridge('dlq purge --unreadable --dry-run --json'))).toEqual({
      dryRun: true,
      unreadable: 1,
      removed: 0,
    })
    expect((await folder.bridge('dlq purge --unreadable --yes')).stdout).toBe('Deleted 1 message.\n')
    expect((await queue.bodies()).toSorted()).toEqual([queue.copyOf(a), newer].toSorted())
  }, 40_000)
})

describe('bridge dlq replay', () => {
  test('counts first; then sets what is meant to waiting, spread by the rate, and removes its copies', async () => {
    await using folder = await world()
    using queue = openQueue(folder.emulators)
    await queue.send([queue.copyOf(a), queue.copyOf(b), queue.copyOf(c, 'shop'), 'unreadable'])
    expect((await folder.bridge('dlq replay')).code).toBe(2)
    const counted = await folder.bridge('dlq replay --endpoint crm --rate 2 --dry-run')
    expect(counted.stdout.split('\n').map(line => line.split(/ {2,}/))).toEqual([
      ['ENDPOINT', 'TYPE', 'REASON', 'DEAD LETTERS'],
      ['crm', 'email.bounce.hard', 'timeout', '1'],
      ['crm', 'email.bounce.hard', 'http_500', '1'],
      [''],
      ['2 dead letters would be replayed, 2 a second: in 1.0 s. Nothing was done.'],
      [''],
    ])
    expect((await folder.read('crm', a.id))?.state).toBe('dead')

    const startedMs = Date.now()
    const replayed = jsonOf(await folder.bridge('dlq replay --endpoint crm --rate 2 --json'))
    expect(replayed).toMatchObject({
      dryRun: false,
      replayed: 2,
      left: { movedOn: 0, expired: 0, endpointRemoved: 0, diedSince: 0 },
      wentOn: false,
      copiesRemoved: 2,
    })
    const [first, second] = [await folder.read('crm', b.id), await folder.read('crm', a.id)]
    expect([first, second].map(delivery => [delivery?.state, delivery?.position, delivery?.reason])).toEqual([
      ['waiting', { round: 2, attempt: 0 }, 'replayed_by_operator'],
      ['waiting', { round: 2, attempt: 0 }, 'replayed_by_operator'],
    ])
    expect((second?.dueMs ?? 0) - (first?.dueMs ?? 0)).toBe(500)
    expect(first?.dueMs).toBeGreaterThanOrEqual(startedMs)
    expect((await folder.read('shop', c.id))?.state).toBe('dead')
    expect((await queue.bodies()).toSorted()).toEqual([queue.copyOf(c, 'shop'), 'unreadable'].toSorted())
  })

  test('leaves those of a removed endpoint, and says where nothing sends now', async () => {
    const endpoints = [
      endpointOf('crm', { state: 'disabled', stateReason: 'answered_410' }),
      endpointOf('shop', { state: 'removed' }),
    ]
    await using folder = await holdTable({
      events: [a, c],
      deliveries: [deadOf(a), deadOf(c, { endpointId: 'shop' })],
      endpoints,
    })
    expect((await folder.bridge('dlq replay --endpoint shop')).code).toBe(3)
    const { code, stdout, stderr } = await folder.bridge('dlq replay --all')
    expect([code, stdout, stderr]).toEqual([
      0,
      expect.stringMatching(
        /^Replayed 1 dead letter\. They go out .* 1 were left: they are of endpoints that were removed\.\n$/,
      ),
      'crm is disabled: what is for it is held until bridge endpoint enable crm.\n',
    ])
    expect((await folder.read('shop', c.id))?.state).toBe('dead')
  })
})

describe('bridge dlq purge', () => {
  test('cancels what is meant, once that is confirmed, and removes its copies', async () => {
    await using folder = await world()
    using queue = openQueue(folder.emulators)
    await queue.send([queue.copyOf(a), queue.copyOf(b)])
    const asked = await folder.bridge('dlq purge --endpoint crm --reason timeout')
    expect([asked.code, asked.stderr]).toEqual([
      2,
      'bridge: Purge 1 dead letter? They are never delivered. Nobody can be asked here: give --yes to do it\n',
    ])
    expect(jsonOf(await folder.bridge('dlq purge --all --dry-run --json'))).toMatchObject({
      dryRun: true,
      deadLetters: 3,
    })
    expect((await folder.read('crm', b.id))?.state).toBe('dead')
    expect(jsonOf(await folder.bridge('dlq purge --endpoint crm --reason timeout --yes --json'))).toEqual({
      dryRun: false,
      purged: 1,
      movedOn: 0,
      copiesRemoved: 1,
    })
    expect(await folder.read('crm', b.id)).toMatchObject({
      state: 'cancelled',
      reason: 'purged_by_operator',
      dueMs: null,
      position: { round: 1, attempt: 10 },
    })
    expect((await folder.read('crm', a.id))?.state).toBe('dead')
    expect(await queue.bodies()).toEqual([queue.copyOf(a)])
  })
})
