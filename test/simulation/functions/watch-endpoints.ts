import type { EndpointStore } from '../../../shared/domain/endpoint/endpoint-store.ts'

/** The endpoints of the table; `changed` is awaited after each change, `removed` gets those that an operator takes away. */
export const watchEndpoints = (
  store: EndpointStore,
  { changed, removed }: { changed: () => Promise<void>; removed: Set<string> },
): EndpointStore => ({
  ...store,
  put: async endpoint => {
    await store.put(endpoint)
    await changed()
  },
  setState: async change => {
    const isChanged = await store.setState(change)
    if (isChanged && change.state === 'removed') removed.add(change.id)
    await changed()
    return isChanged
  },
  setSlow: async (id, slow) => {
    await store.setSlow(id, slow)
    await changed()
  },
  writeHealth: async (id, health) => {
    const isWritten = await store.writeHealth(id, health)
    await changed()
    return isWritten
  },
})
