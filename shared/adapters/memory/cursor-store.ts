import type { CursorKey, CursorStore, VersionedCursor } from '../../domain/polling/cursor.ts'

const textOf = ({ sourceId, stream, name }: CursorKey): string => `${sourceId}#${stream}#${name}`

/** Cursors in memory. */
export const createMemoryCursorStore = (): CursorStore => {
  const cursors = new Map<string, VersionedCursor>()
  return {
    read: async key => structuredClone(cursors.get(textOf(key)) ?? null),
    commit: async (key, cursor, expected) => {
      if ((cursors.get(textOf(key))?.version ?? null) !== expected) return 'moved'
      cursors.set(textOf(key), structuredClone({ cursor, version: (expected ?? 0) + 1 }))
      return 'committed'
    },
  }
}
