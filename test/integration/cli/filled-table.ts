import type { Emulators } from '../../../infra/local/emulators.ts'
import { localClientSettings } from '../../../infra/local/local-table.ts'
import { createDeliveryStore } from '../../../shared/adapters/dynamodb/delivery-store.ts'
import { createDocumentClient } from '../../../shared/adapters/dynamodb/document-client.ts'
import { createEndpointStore } from '../../../shared/adapters/dynamodb/endpoint-store.ts'
import { createEventLog } from '../../../shared/adapters/dynamodb/event-log.ts'
import { createReconcileMarks } from '../../../shared/adapters/dynamodb/reconcile-marks.ts'
import { createSourceStore } from '../../../shared/adapters/dynamodb/source-store.ts'
import type { Delivery } from '../../../shared/domain/delivery/delivery.ts'
import { type Endpoint, noFilters } from '../../../shared/domain/endpoint/endpoint.ts'
import { buildEvent } from '../../../shared/domain/event/build-event.ts'
import { readRecord } from '../../../shared/domain/feedback/read-record.ts'
import type { LoggedEvent } from '../../../shared/domain/polling/event-log.ts'
import { type Source, type StreamName, sourceDefaults } from '../../../shared/domain/source.ts'

import { holdFolder } from './held-folder.ts'

const daySeconds = 86_400

/** The stores of a bridge's table, to fill it as a bridge would have and to look into it. */
export const openTable = ({ dynamodb }: Pick<Emulators, 'dynamodb'>) => {
  const client = createDocumentClient({ ...localClientSettings, endpoint: dynamodb.endpoint })
  const table = { client, tableName: dynamodb.tableName }
  return {
    log: createEventLog(table),
    store: createDeliveryStore(table),
    marks: createReconcileMarks(table),
    sources: createSourceStore(table),
    endpoints: createEndpointStore(table),
    [Symbol.dispose]: () => client.destroy(),
  }
}

export const sourceOf = (id: string): Source => ({
  ...sourceDefaults,
  id,
  baseUrl: 'https://api.example.com',
  tokenSecret: `token-${id}`,
})

export const endpointOf = (id: string, fields: Partial<Endpoint> = {}): Endpoint => ({
  id,
  url: 'https://93.184.215.14/hooks',
  types: ['*'],
  filters: noFilters,
  keys: [{ version: 1, secret: null, signsUntilMs: null }],
  state: 'active',
  stateReason: null,
  slow: false,
  ...fields,
})

/** An event as the poller logs it, of a record with these fields. */
export const loggedEvent = (of: {
  second: number
  uuid: string
  sourceId?: string
  stream?: StreamName
  fields?: Readonly<Record<string, unknown>>
  endpointIds?: readonly string[]
  loggedAtMs?: number
}): LoggedEvent => {
  const { second, uuid, sourceId = 'main', stream = 'bounces' } = of
  const value = { uuid, timelogged: second, ...of.fields }
  const read = readRecord({ text: JSON.stringify(value), value })
  if (read.kind === 'unreadable') throw new Error(read.reason)
  const { id, type, body } = buildEvent({ source: { id: sourceId }, stream, record: read.record })
  return {
    id,
    sourceId,
    stream,
    type,
    recordId: uuid,
    second,
    body,
    endpointIds: of.endpointIds ?? ['crm'],
    loggedAtMs: of.loggedAtMs ?? (second + 7) * 1_000,
    expiresAtSeconds: second + 35 * daySeconds,
  }
}

/** A delivery of an event, delivered at once where nothing else is said. */
export const deliveryOf = (event: LoggedEvent, fields: Partial<Delivery> = {}): Delivery => ({
  endpointId: 'crm',
  eventId: event.id,
  sourceId: event.sourceId,
  stream: event.stream,
  state: 'delivered',
  position: { round: 1, attempt: 1 },
  retryAtMs: null,
  dueMs: null,
  firstFailureAtMs: null,
  reason: null,
  attempts: [],
  writeId: `write-${event.id}`,
  updatedAtMs: event.loggedAtMs + 1_000,
  expiresAtSeconds: event.expiresAtSeconds,
  ...fields,
})

/** A held folder whose table holds two endpoints, crm and shop, these sources, events and deliveries. */
export const holdFilled = async (of: {
  sources?: readonly string[]
  events?: readonly LoggedEvent[]
  deliveries?: readonly Delivery[]
}) => {
  const folder = await holdFolder()
  const table = openTable(folder.emulators)
  for (const id of of.sources ?? ['main']) await table.sources.put(sourceOf(id))
  for (const id of ['crm', 'shop']) await table.endpoints.put(endpointOf(id))
  if (of.events !== undefined && of.events.length > 0) await table.log.record(of.events)
  for (const delivery of of.deliveries ?? []) {
    await table.store.write(delivery, { kind: 'unsettled_before', rank: 999_999 })
  }
  return {
    ...folder,
    table,
    [Symbol.asyncDispose]: async (): Promise<void> => {
      table[Symbol.dispose]()
      await folder[Symbol.asyncDispose]()
    },
  }
}
