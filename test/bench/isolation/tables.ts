import { createMemoryDeliveryStore } from '../../../shared/adapters/memory/delivery-store.ts'
import { createMemoryEndpointStore } from '../../../shared/adapters/memory/endpoint-store.ts'
import { createMemoryPaceStore } from '../../../shared/adapters/memory/pace-store.ts'
import type { Clock } from '../../../shared/domain/clock.ts'
import type { DeliveryStore } from '../../../shared/domain/delivery/delivery-store.ts'
import type { PaceStore } from '../../../shared/domain/delivery/pace-gate.ts'
import type { Endpoint } from '../../../shared/domain/endpoint/endpoint.ts'
import type { EndpointStore } from '../../../shared/domain/endpoint/endpoint-store.ts'
import { lambdaModel } from '../price/lambda-model.ts'

/** What dispatchers and releaser keep in the table. */
export type Tables = { endpoints: EndpointStore; store: DeliveryStore; paces: PaceStore }

/** Twins that answer as late as the table does. */
export const createTwinTables = (clock: Clock): Tables => {
  const later = async <T>(work: () => Promise<T>): Promise<T> => {
    await clock.sleep(lambdaModel.awsAnswerMs)
    return work()
  }
  return around(
    {
      endpoints: listedForAll(createMemoryEndpointStore()),
      store: createMemoryDeliveryStore(),
      paces: createMemoryPaceStore(),
    },
    { ofTable: later, ofPace: later },
  )
}

/** Requests of the table: one a call of a port, whatever the adapter makes of it. */
export type TableCalls = { all: number; pace: number }

/** Tables whose calls are counted. */
export const countedTables = (tables: Tables, calls: TableCalls): Tables =>
  around(tables, {
    ofTable: work => {
      calls.all += 1
      return work()
    },
    ofPace: work => {
      calls.all += 1
      calls.pace += 1
      return work()
    },
  })

type Around = <T>(work: () => Promise<T>) => Promise<T>

const around = (
  { endpoints, store, paces }: Tables,
  { ofTable, ofPace }: { ofTable: Around; ofPace: Around },
): Tables => ({
  endpoints: {
    list: () => ofTable(() => endpoints.list()),
    read: id => ofTable(() => endpoints.read(id)),
    put: endpoint => ofTable(() => endpoints.put(endpoint)),
    setState: change => ofTable(() => endpoints.setState(change)),
    setSlow: (id, slow) => ofTable(() => endpoints.setSlow(id, slow)),
    writeHealth: (id, health) => ofTable(() => endpoints.writeHealth(id, health)),
    untold: () => ofTable(() => endpoints.untold()),
    setTold: endpoint => ofTable(() => endpoints.setTold(endpoint)),
  },
  store: {
    readMany: keys => ofTable(() => store.readMany(keys)),
    read: key => ofTable(() => store.read(key)),
    write: (delivery, condition) => ofTable(() => store.write(delivery, condition)),
    moveDue: (entry, toDueMs) => ofTable(() => store.moveDue(entry, toDueMs)),
    due: query => ofTable(() => store.due(query)),
    eventIds: range => ofTable(() => store.eventIds(range)),
  },
  paces: {
    read: id => ofPace(() => paces.read(id)),
    write: (id, state) => ofPace(() => paces.write(id, state)),
  },
})

/** Every instance lists them every few seconds: what is listed is made once for all, until something is written. */
const listedForAll = (store: EndpointStore): EndpointStore => {
  let listed: Promise<Endpoint[]> | null = null
  const written = <T>(work: () => Promise<T>): Promise<T> => {
    listed = null
    return work()
  }
  return {
    ...store,
    list: () => {
      listed ??= store.list()
      return listed
    },
    put: endpoint => written(() => store.put(endpoint)),
    setState: change => written(() => store.setState(change)),
    setSlow: (id, slow) => written(() => store.setSlow(id, slow)),
    writeHealth: (id, health) => written(() => store.writeHealth(id, health)),
  }
}
