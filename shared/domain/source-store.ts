import type { Source } from './source.ts'

export interface SourceStore {
  list(): Promise<Source[]>
  read(id: string): Promise<Source | null>
  put(source: Source): Promise<void>
  /** Its cursors and events stay: added again under the same id, it goes on where it stood. */
  remove(id: string): Promise<void>
}
