import type { Source } from '../../domain/source.ts'
import type { SourceStore } from '../../domain/source-store.ts'
import { byText } from './order.ts'

/** Sources in memory. */
export const createMemorySourceStore = (): SourceStore => {
  const sources = new Map<string, Source>()
  return {
    list: async () => structuredClone([...sources.values()].sort(byText(source => source.id))),
    read: async id => structuredClone(sources.get(id) ?? null),
    put: async source => {
      sources.set(source.id, structuredClone(source))
    },
    remove: async id => {
      sources.delete(id)
    },
  }
}
