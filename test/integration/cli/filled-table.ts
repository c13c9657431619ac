import type { Emulators } from '../../../infra/local/emulators.ts'
import { mapBounded } from '../../../shared/adapters/bounded.ts'
import { createDeliveryStore } from '../../../shared/adapters/dynamodb/delivery-store.ts'
import { createEndpointStore } from '../../../shared/adapters/dynamodb/endpoint-store.ts'
import { createEventLog } from '../../../shared/adapters/dynamodb/event-log.ts'
import { createReconcileMarks } from '../../../shared/adapters/dynamodb/reconcile-marks.ts'
import { createSourceStore } from '../../../shared/adapters/dynamodb/source-store.ts'
import type { Delivery } from '../../../shared/domain/delivery/delivery.ts'
import { type Endpoint, endpointDefaults } from '../../../shared/domain/endpoint/endpoint.ts'
import { buildEvent } from '../../../shared/domain/event/build-event.ts'
import { readRecord } from '../../../shared/domain/feedback/read-record.ts'
import type { LoggedEvent } from '../../../shared/domain/polling/event-log.ts'
import { type Source, type StreamName, sourceDefaults } from '../../../shared/domain/source.ts'
import { openDocumentTable } from './document-table.ts'
import { holdFolder } from './held-folder.ts'

const daySeconds = 86_400
const writesAtOnce = 16

/** The stores of a bridge's table, to fill it as a bridge would have and to look into it. */
export const openTable = (emulators: Pick<Emulators, 'dynamodb'>) => {
  const table = openDocumentTable(emulators)
  return {
    /** For stores that few tests need. */
    document: table,
    log: createEventLog(table),
    store: createDeliveryStore(table),
    marks: createReconcileMarks(table),
    sources: createSourceStore(table),
    endpoints: createEndpointStore(table),
    [Symbol.dispose]: () => table[Symbol.dispose](),
  }
}

export const sourceOf = (id: string): Source => ({
  ...sourceDefaults,
  id,
  baseUrl: 'https://api.example.com',
  tokenSecret: `token-${id}`,
})

export const endpointOf = (id: string, fields: Partial<Endpoint> = {}): Endpoint => ({
  ...endpointDefaults,
  id,
  url: 'https://93.184.215.14/hooks',
  types: ['*'],
  keys: [{ version: 1, secret: null, signsUntilMs: null }],
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

/** A held folder whose table holds these sources (main), endpoints (crm and shop), events and deliveries. */
export const holdFilled = async (of: {
  sources?: readonly string[]
  endpoints?: readonly Endpoint[]
  events?: readonly LoggedEvent[]
  deliveries?: readonly Delivery[]
}) => {
  const { sources = ['main'], endpoints = [endpointOf('crm'), endpointOf('shop')], events = [] } = of
  const folder = await holdFolder()
  const table = openTable(folder.emulators)
  for (const id of sources) await table.sources.put(sourceOf(id))
  for (const endpoint of endpoints) await table.endpoints.put(endpoint)
  if (events.length > 0) await table.log.record(events)
  await mapBounded(of.deliveries ?? [], writesAtOnce, delivery =>
    table.store.write(delivery, { kind: 'unsettled_before', rank: 999_999 }),
  )
  return {
    ...folder,
    table,
    [Symbol.asyncDispose]: async (): Promise<void> => {
      table[Symbol.dispose]()
      await folder[Symbol.asyncDispose]()
    },
  }
}
