import { localClientSettings, startEmulators } from '../../../infra/local/emulators.ts'
import { createDeliveryStore } from '../../../shared/adapters/dynamodb/delivery-store.ts'
import { createDocumentClient } from '../../../shared/adapters/dynamodb/document-client.ts'
import { createEventLog } from '../../../shared/adapters/dynamodb/event-log.ts'
import { deliveredDelivery, idAt, sampleDelivery, sampleEvent } from '../support/samples.ts'

// Run by emulators.test.ts: writes until it is killed, and says each event id once its writes are acknowledged.
const [dataDir = '', round = ''] = process.argv.slice(2)
const { dynamodb } = await startEmulators({ dataDir })
const table = {
  client: createDocumentClient({ ...localClientSettings, endpoint: dynamodb.endpoint }),
  tableName: dynamodb.tableName,
}
const deliveries = createDeliveryStore(table)
const log = createEventLog(table)
const rank = 1_000_000

/** The third of deliveries that stays waiting has moved in the index, others have left it. */
const writeOne = async (number: number): Promise<void> => {
  const uuid = `${round}-${number}`
  const eventId = idAt(number, uuid)
  await log.record([sampleEvent(number, uuid)])
  await deliveries.write(sampleDelivery({ eventId, dueMs: 1_000 }), { kind: 'unsettled_before', rank })
  await deliveries.moveDue({ endpointId: 'shop', eventId, state: 'waiting', dueMs: 1_000 }, 2_000)
  if (number % 3 > 0)
    await deliveries.write(deliveredDelivery({ eventId }), { kind: 'round_not_passed', rank })
  process.stdout.write(`${uuid} ${number}\n`)
}

let count = 0
const writer = async (): Promise<void> => {
  for (;;) {
    count += 1
    await writeOne(count)
  }
}
await Promise.all(Array.from({ length: 16 }, writer))
