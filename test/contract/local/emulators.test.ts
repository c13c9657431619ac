import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openDatabase } from '../../../infra/local/data-folder.ts'
import { type Emulators, localClientSettings, startEmulators } from '../../../infra/local/emulators.ts'
import { createDeliveryStore } from '../../../shared/adapters/dynamodb/delivery-store.ts'
import { createDocumentClient } from '../../../shared/adapters/dynamodb/document-client.ts'
import { createEventLog } from '../../../shared/adapters/dynamodb/event-log.ts'
import { createQueueClient } from '../../../shared/adapters/sqs/client.ts'
import type { IndexEntry } from '../../../shared/domain/delivery/delivery-store.ts'
import { idAt, sampleDelivery } from '../support/samples.ts'

let dataDir = ''
const running: Emulators[] = []
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'bridge-emulators-'))
})
afterEach(async () => {
  for (const emulators of running.splice(0)) await emulators.close()
  rmSync(dataDir, { recursive: true, force: true })
})

const start = async () => {
  const emulators = await startEmulators({ dataDir })
  running.push(emulators)
  const { endpoint, tableName } = emulators.dynamodb
  const client = createDocumentClient({ ...localClientSettings, endpoint })
  const table = { client, tableName }
  return {
    deliveries: createDeliveryStore(table),
    log: createEventLog(table),
    stop: async () => {
      client.destroy()
      running.splice(running.indexOf(emulators), 1)
      await emulators.close()
    },
  }
}

const dueQuery = { endpointId: 'shop', state: 'waiting', untilMs: 10_000, limit: 100_000 } as const

/** Lets a process write until it has said `acknowledged` of them, then kills it; returns what it said. */
const writeAndKill = async (round: number, acknowledged: number): Promise<string[]> => {
  const script = fileURLToPath(new URL('./writing-child.ts', import.meta.url))
  const child = spawn(process.execPath, [script, dataDir, String(round)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ids: string[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    const [uuid = '', number = ''] = line.split(' ')
    ids.push(idAt(Number(number), uuid))
    if (ids.length === acknowledged) child.kill('SIGKILL')
  }
  return ids
}

describe('the emulators with a data folder', () => {
  it('keep the table from one start to the next', async () => {
    const first = await start()
    await first.deliveries.write(sampleDelivery(), { kind: 'unsettled_before', rank: 9_000 })
    await first.stop()
    const second = await start()
    expect(await second.deliveries.read({ endpointId: 'shop', eventId: idAt(0) })).toMatchObject({
      state: 'waiting',
    })
  })

  it('say so where the folder is in use, and leave it alone', async () => {
    const { deliveries } = await start()
    await expect(startEmulators({ dataDir })).rejects.toMatchObject({
      code: 'data_folder_in_use',
      message: expect.stringContaining(dataDir),
    })
    expect(await deliveries.due(dueQuery)).toEqual([])
    expect(existsSync(join(dataDir, 'dynamodb.in-use'))).toBe(true)
  })

  it('have after each of several kills all that was acknowledged, and an index that agrees with it', async () => {
    const all: string[] = []
    for (const round of [1, 2, 3]) {
      const ids = await writeAndKill(round, 120)
      expect(ids.length).toBeGreaterThanOrEqual(120)
      all.push(...ids)
      const { deliveries, log, stop } = await start()
      const found = await log.existing({ sourceId: 'main', stream: 'bounces', ids: all })
      expect(found).toEqual(new Set(all))
      const kept = await deliveries.readMany(all.map(eventId => ({ endpointId: 'shop', eventId })))
      expect(new Set(kept.map(delivery => delivery.eventId))).toEqual(new Set(all))
      expect(kept.filter(delivery => delivery.state === 'waiting' && delivery.dueMs !== 2_000)).toEqual([])
      // Every entry has its delivery, and every waiting delivery, those under way at the kill included, its entry.
      const entries = await deliveries.due(dueQuery)
      const entered = new Map(entries.map(entry => [entry.eventId, entry.dueMs]))
      expect(entered.size).toBe(entries.length)
      const indexed = await deliveries.readMany(entries)
      expect(indexed.map(({ eventId, dueMs }) => [eventId, dueMs]).toSorted()).toEqual(
        [...entered].toSorted(),
      )
      const waiting = kept.filter(delivery => delivery.state === 'waiting')
      expect(waiting.filter(delivery => !entered.has(delivery.eventId))).toEqual([])
      await stop()
    }
  })

  it('mend an index that a kill left behind', async () => {
    const first = await start()
    const entries: IndexEntry[] = [1, 2, 3].map(second => ({
      endpointId: 'shop',
      eventId: idAt(second),
      state: 'waiting',
      dueMs: 1_000 + second,
    }))
    const attempts = [
      {
        position: { round: 1, attempt: 1 },
        atMs: 1,
        tookMs: 1,
        status: 500,
        reason: 'status',
        answer: 'no',
      },
    ]
    for (const entry of entries) {
      const delivery = sampleDelivery({ ...entry, attempts })
      await first.deliveries.write(delivery, { kind: 'unsettled_before', rank: 9_000 })
    }
    const before = await first.deliveries.readMany(entries)
    await first.stop()
    await breakIndex(entries[1]?.eventId ?? '')

    const second = await start()
    expect(await second.deliveries.due(dueQuery)).toEqual(entries)
    const byId = (a: { eventId: string }, b: { eventId: string }) => (a.eventId < b.eventId ? -1 : 1)
    expect((await second.deliveries.readMany(entries)).toSorted(byId)).toEqual(before.toSorted(byId))
  })
})

/** As a kill between dynalite's two writes leaves it: one entry is missing, and one has no item. */
const breakIndex = async (eventId: string): Promise<void> => {
  const database = await openDatabase(join(dataDir, 'dynamodb'))
  const prefix = 'index-global~feedback-bridge~due~'
  for await (const [key, entry] of database.iterator({ gte: prefix, lt: `${prefix}\u{FF}` })) {
    const text = JSON.stringify(entry)
    if (!text.includes(eventId)) continue
    const ghost: unknown = JSON.parse(text.replaceAll(eventId, idAt(77)))
    await database.batch([
      { type: 'del', key },
      { type: 'put', key: `${key}0`, value: ghost },
    ])
  }
  await database.close()
  writeFileSync(join(dataDir, 'dynamodb.in-use'), '')
}

describe('the emulators', () => {
  it('listen on loopback alone', async () => {
    const emulators = await startEmulators()
    running.push(emulators)
    for (const { endpoint } of [emulators.dynamodb, emulators.sqs]) {
      expect(new URL(endpoint).hostname).toBe('127.0.0.1')
    }
  })

  it('have the queues as they are defined, both lanes with redrive to the dead letters', async () => {
    const emulators = await startEmulators()
    running.push(emulators)
    const client = createQueueClient({ ...localClientSettings, endpoint: emulators.sqs.endpoint })
    const attributesOf = async (url: string) =>
      (await client.send(new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['All'] })))
        .Attributes
    const common = {
      VisibilityTimeout: '360',
      MessageRetentionPeriod: '1209600',
      ReceiveMessageWaitTimeSeconds: '20',
      MaximumMessageSize: '1048576',
    }
    const deadLetters = await attributesOf(emulators.queueUrls.deadLetters)
    expect(deadLetters).toMatchObject(common)
    expect(deadLetters).not.toHaveProperty('RedrivePolicy')
    for (const lane of ['fast', 'slow'] as const) {
      const attributes = await attributesOf(emulators.queueUrls[lane])
      expect(attributes).toMatchObject(common)
      expect(JSON.parse(attributes?.RedrivePolicy ?? '')).toEqual({
        deadLetterTargetArn: deadLetters?.QueueArn,
        maxReceiveCount: 5,
      })
    }
    client.destroy()
  })
})
