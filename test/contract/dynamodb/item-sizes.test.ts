import { readFileSync } from 'node:fs'
import { PutCommand } from '@aws-sdk/lib-dynamodb'
import { describe, expect, it } from 'vitest'
import { deliveryItem } from '../../../shared/adapters/dynamodb/delivery-item.ts'
import { packBody, unpackBody } from '../../../shared/adapters/dynamodb/event-body.ts'
import { eventItem } from '../../../shared/adapters/dynamodb/event-item.ts'
import type { ItemKey } from '../../../shared/adapters/dynamodb/keys.ts'
import { attemptsKeptMax } from '../../../shared/domain/delivery/delivery.ts'
import { answerKeptBytesMax } from '../../../shared/domain/delivery/webhook-sender.ts'
import { buildEvent } from '../../../shared/domain/event/build-event.ts'
import { readRecord } from '../../../shared/domain/feedback/read-record.ts'
import type { StreamName } from '../../../shared/domain/source.ts'
import { deliveredDelivery, sampleDelivery } from '../support/samples.ts'
import { type TestTable, useTables } from '../support/test-table.ts'

const tables = useTables()

/** The events of the real records, as they are written for three endpoints. */
const realEvents = (stream: StreamName) => {
  const file = new URL(`../../../infra/simulator/data/${stream}.ndjson`, import.meta.url)
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean)
  return lines.flatMap(text => {
    const read = readRecord({ text, value: JSON.parse(text) })
    // One complaint has a date that is none, and would be quarantined.
    if (read.kind !== 'record') return []
    const { record } = read
    const event = buildEvent({ source: { id: 'main' }, stream, record })
    return {
      ...event,
      sourceId: 'main',
      stream,
      recordId: record.uuid,
      endpointIds: ['5f2c9b7d10ae', '77f10be2aa64', 'd02b61c38e95'],
      loggedAtMs: 1_795_132_800_000,
      expiresAtSeconds: 1_798_156_800,
    }
  })
}

/** Write units, as the emulator counts them: one a kilobyte begun. */
const unitsOf = async ({ client, tableName }: TestTable, item: ItemKey) => {
  const put = { TableName: tableName, Item: item, ReturnConsumedCapacity: 'TOTAL' } as const
  return (await client.send(new PutCommand(put))).ConsumedCapacity?.CapacityUnits
}

describe('the size of an item', () => {
  it.each(['bounces', 'complaints'] as const)(
    'is one write unit for every event of the real %s',
    async stream => {
      const table = await tables.fresh()
      const units = await Promise.all(realEvents(stream).map(event => unitsOf(table, eventItem(event))))
      expect(units).toEqual(units.map(() => 1))
    },
  )

  it('is one write unit for a delivery that succeeded at once, and it has no index entry', async () => {
    const table = await tables.fresh()
    const item = deliveryItem(deliveredDelivery({ endpointId: '5f2c9b7d10ae' }))
    expect(await unitsOf(table, item)).toBe(1)
    expect(item).not.toHaveProperty('ipk')
  })

  it('is two write units for a delivery whose last attempts met the longest answer, the same each time', async () => {
    const table = await tables.fresh()
    const attempts = Array.from({ length: attemptsKeptMax }, (_, at) => ({
      ...{ position: { round: 1, attempt: at + 1 }, atMs: 1_795_132_800_000 + at, tookMs: 123.456 },
      ...{ status: 500, reason: 'http_500', answer: 'x'.repeat(answerKeptBytesMax) },
    }))
    expect(await unitsOf(table, deliveryItem(sampleDelivery({ attempts })))).toBe(2)
  })
})

it('a body of every real record unpacks to what it was', () => {
  for (const { body } of [...realEvents('bounces'), ...realEvents('complaints')]) {
    expect(unpackBody(packBody(body))).toBe(body)
  }
})
