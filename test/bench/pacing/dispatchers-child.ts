import * as z from 'zod'
import { localClientSettings } from '../../../infra/local/emulators.ts'
import { createDeliveryStore } from '../../../shared/adapters/dynamodb/delivery-store.ts'
import { createDocumentClient } from '../../../shared/adapters/dynamodb/document-client.ts'
import { createEndpointStore } from '../../../shared/adapters/dynamodb/endpoint-store.ts'
import { createPaceStore } from '../../../shared/adapters/dynamodb/pace-store.ts'
import { systemClock } from '../../../shared/adapters/system-clock.ts'
import type { Tables } from '../isolation/tables.ts'
import { runPaced, waitUntil } from './paced-run.ts'

/**
 * Dispatchers by the clock on the wall, each with a client of its own for the table of an emulator in another process.
 * Arguments: the emulator's address, the table's name, and the settings as JSON.
 */
const settingsSchema = z.object({
  limits: z.object({ maxPerSecond: z.number().nullable(), maxInFlight: z.number().nullable() }),
  dispatchers: z.number(),
  offeredPerSecond: z.number(),
  measuredMs: z.number(),
  releaseEveryMs: z.number(),
})
const [endpoint, tableName, json] = z.tuple([z.url(), z.string(), z.string()]).parse(process.argv.slice(2))

const tablesOf = (): Tables => {
  const table = { client: createDocumentClient({ ...localClientSettings, endpoint }), tableName }
  return {
    endpoints: createEndpointStore(table),
    store: createDeliveryStore(table),
    paces: createPaceStore({ ...table, now: () => systemClock.now() }),
  }
}
process.on('disconnect', () => process.exit(0))
const settings = settingsSchema.parse(JSON.parse(json))
process.send?.(
  await runPaced({ ...settings, tablesOf, clock: systemClock, runUntil: waitUntil(systemClock) }),
)
