import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { localClientSettings } from '../../../infra/local/client-settings.ts'
import { createQuarantine } from '../../../shared/adapters/dynamodb/quarantine.ts'
import { createQueueClient } from '../../../shared/adapters/sqs/client.ts'
import { createDeadLetterQueue } from '../../../shared/adapters/sqs/dead-letter-queue.ts'
import { encodeMessage } from '../../../shared/domain/delivery/delivery-message.ts'
import type { LoggedEvent } from '../../../shared/domain/polling/event-log.ts'
import { messageFromLog } from '../../../shared/domain/release/message-from-log.ts'
import { jsonOf } from './bridge-command.ts'
import { deadOf, holdTable } from './dead-letters.ts'
import { openDocumentTable } from './document-table.ts'
import { bodiesIn, holding, itemTexts } from './everything-held.ts'
import { deliveryOf, loggedEvent } from './filled-table.ts'

const address = 'jo@example.com'
const nowSecond = Math.floor(Date.now() / 1_000)
const hour = 3_600

const eventAt = (ago: number, uuid: string, fields: Record<string, unknown> = {}): LoggedEvent =>
  loggedEvent({
    second: nowSecond - ago,
    uuid,
    fields: { bounce_type: 'h', bouncecat: 'bad-mailbox', rcpt: 'Jo@Example.com', ...fields },
    endpointIds: ['crm', 'shop'],
  })

const answerOf = { atMs: 1, tookMs: 1, status: 500, reason: 'http_500', answer: `who is ${address}?` }
const attempts = [{ position: { round: 1, attempt: 1 }, ...answerOf }]

const dead = eventAt(hour, 'dead')
const waiting = eventAt(20 * 24 * hour, 'waiting', { dsndiag: `smtp; 550 5.1.1 <${address}>` })
const complaint = loggedEvent({
  second: nowSecond - 60,
  uuid: 'complaint',
  stream: 'complaints',
  sourceId: 'removed',
  fields: { rcpt: `"Jo" <${address}>` },
  endpointIds: [],
})
const other = eventAt(hour, 'other', { rcpt: 'banjo@example.com' })
const mention = eventAt(hour, 'mention', { rcpt: 'an@example.com', dsndiag: `forwarded by ${address}` })

const quarantined = [
  { text: JSON.stringify({ rcpt: address.toUpperCase() }), reason: 'no_uuid' },
  { text: JSON.stringify({ rcpt: 'banjo@example.com' }), reason: 'no_uuid' },
].map(record => ({ ...record, hash: createHash('sha256').update(record.text, 'utf8').digest('hex') }))

const copyOf = (event: LoggedEvent): string =>
  encodeMessage(messageFromLog({ event, endpointId: 'crm', position: { round: 2, attempt: 1 } }))

const bodies = [copyOf(dead), copyOf(other), `{"body":"${address}"`, 'nothing']

const world = async () => {
  const folder = await holdTable({
    events: [dead, waiting, complaint, other, mention],
    deliveries: [
      deadOf(dead, { attempts }),
      deliveryOf(dead, { endpointId: 'shop', attempts }),
      deliveryOf(waiting, { state: 'waiting', reason: 'http_500', dueMs: 1_000, retryAtMs: 1_000, attempts }),
      deadOf(other),
    ],
  })
  using table = openDocumentTable(folder.emulators)
  for (const record of quarantined) {
    await createQuarantine(table).keep({
      sourceId: 'main',
      stream: 'bounces',
      atMs: Date.now() - 1_000,
      ...record,
    })
  }
  const { sqs, queueUrls } = folder.emulators
  const client = createQueueClient({ ...localClientSettings, endpoint: sqs.endpoint })
  const queue = createDeadLetterQueue({ client, queueUrls })
  await queue.send(bodies.map(body => ({ group: null, body, reason: 'http_500' })))
  client.destroy()
  return folder
}

const counts = {
  looked: 7,
  events: 3,
  deliveries: { queued: 1, waiting: 1, held: 0, delivered: 1, dead: 1, cancelled: 0 },
  quarantined: 1,
  deadLetters: 2,
  mentions: 1,
  unreadable: 0,
  complete: true,
}

describe('bridge forget', { timeout: 60_000 }, () => {
  test('leaves nothing of an address in the table and among the dead letters, and says what it removed', async () => {
    await using folder = await world()
    // The mention, too, and that is not its recipient's.
    expect(holding(await itemTexts(folder.emulators), `"${address}`)).toBeGreaterThan(3)
    const before = await itemTexts(folder.emulators)

    const counted = await folder.bridge(`forget --recipient ${address} --dry-run --json`)
    expect([counted.code, jsonOf(counted)]).toEqual([0, expect.objectContaining({ dryRun: true, ...counts })])
    expect(await itemTexts(folder.emulators)).toEqual(before)
    expect((await bodiesIn(folder.emulators, 'deadLetters')).toSorted()).toEqual(bodies.toSorted())

    const unsure = await folder.bridge(`forget --recipient ${address}`)
    expect([unsure.code, unsure.stdout]).toEqual([2, ''])
    expect(unsure.stderr).toContain(
      'Forget this recipient: 3 events, 1 quarantined record, 2 dead letter messages? It can not be undone.',
    )
    expect(await itemTexts(folder.emulators)).toEqual(before)

    const done = await folder.bridge('forget --recipient - --yes --json', `${address}\n`)
    expect([done.code, done.stderr]).toEqual([0, ''])
    const { stillHeld, ...told } = jsonOf(done)
    expect(told).toEqual({ dryRun: false, ...counts })
    expect(stillHeld.map(({ where }: { where: string }) => where)).toEqual([
      'under_way',
      'queued_messages',
      'data_folder',
      'customers',
      'service',
    ])
    const texts = await itemTexts(folder.emulators)
    expect(texts).toHaveLength(before.length + 1)
    const left = texts.filter(text => text.toLowerCase().includes(address))
    // Somebody else's, whose address ends alike, and the event that only mentions it.
    expect(left.map(text => /banjo@|forwarded by/.exec(text)?.[0]).toSorted()).toEqual([
      'banjo@',
      'banjo@',
      'forwarded by',
    ])
    expect((await bodiesIn(folder.emulators, 'deadLetters')).toSorted()).toEqual(
      [bodies[1], bodies[3]].toSorted(),
    )
    const states = await Promise.all(
      [dead, waiting].flatMap(({ id }) =>
        ['crm', 'shop'].map(async endpointId => {
          const delivery = await folder.read(endpointId, id)
          return [delivery?.state, delivery?.reason, delivery?.dueMs]
        }),
      ),
    )
    const cancelled = ['cancelled', 'forgotten', null]
    expect(states).toEqual([cancelled, ['delivered', null, null], cancelled, cancelled])
    expect((await folder.read('crm', other.id))?.state).toBe('dead')

    const again = await folder.bridge(`forget --recipient ${address} --yes`)
    expect([again.code, again.stdout]).toEqual([
      0,
      'Nothing is held of this recipient; 6 items looked at.\n1 event of other recipients mention the address: left as they are.\n',
    ])
    expect(await itemTexts(folder.emulators)).toEqual(texts)
  })

  test('what the other commands show of it is a tombstone, and none of them sends it again', async () => {
    await using folder = await world()
    const done = await folder.bridge(`forget --recipient ${address} --yes`)
    expect(done.stdout.split('\n')[0]).toBe(
      'Forgotten: 3 events (their deliveries were: 1 queued, 1 waiting, 1 delivered, 1 dead), 1 quarantined record, 2 messages of the dead-letter queue; 11 items looked at.',
    )
    expect(done.stdout).toMatch(/\nNot reached, and so perhaps still held:\n {2}what was being read /)
    const shown = await folder.bridge(`events show ${dead.id}`)
    expect(shown.stdout).toMatch(/\nForgotten +\d{4}-.*; nothing of the record is left but this\n/)
    const json = jsonOf(await folder.bridge(`events show ${dead.id} --json`))
    expect([json.id, json.event, typeof json.forgottenAt]).toEqual([dead.id, null, 'string'])
    const body = await folder.bridge(`events show ${dead.id} --body`)
    expect([body.code, body.stdout]).toEqual([1, ''])
    const list = await folder.bridge('events list')
    expect(list.stdout.split('\n').filter(line => / forgotten /.test(line))).toHaveLength(2)

    const retried = await folder.bridge(`deliveries retry ${dead.id} crm --yes`)
    expect([retried.code, retried.stderr]).toEqual([3, expect.stringContaining('recipient was forgotten')])
    const many = await folder.bridge(
      'deliveries retry --endpoint crm --state cancelled --since 30d --yes --json',
    )
    expect(jsonOf(many)).toMatchObject({ set: 0, left: { forgotten: 2 } })
    const recovered = await folder.bridge('recover --endpoint crm --since 30d --only all --yes --json')
    expect(jsonOf(recovered).left.forgotten).toBe(2)
    const kept = await folder.bridge('quarantine retry --all --json')
    expect(jsonOf(kept)).toMatchObject({ records: 1 })
    const [record] = quarantined
    const dropped = await folder.bridge(`quarantine drop ${record?.hash} --yes`)
    expect([dropped.code, dropped.stderr]).toEqual([3, expect.stringContaining('was forgotten')])
    expect(jsonOf(await folder.bridge('quarantine drop --all --yes --json'))).toEqual({ dropped: 1 })
    const outputs = [shown, list, retried, many, recovered, kept, dropped, done]
    for (const { stdout, stderr } of outputs) {
      expect(`${stdout}${stderr}`.replaceAll('banjo@example.com', '')).not.toContain(address)
    }
  })

  test('what is no address is wrong use, and is not repeated', async () => {
    await using folder = await holdTable({ events: [], deliveries: [] })
    for (const [args, stdin] of [
      ['forget --recipient jo(at)example.com', ''],
      ['forget --recipient - --yes', ''],
      ['forget --recipient - --yes', 'a@example.com,b@example.com'],
    ] as const) {
      const { code, stdout, stderr } = await folder.bridge(args, stdin)
      expect([code, stdout]).toEqual([2, ''])
      expect(stderr).toContain('--recipient: ')
      expect(stderr).not.toMatch(/example\.com,|\(at\)/)
    }
  })
})
