import type { Source } from './source.ts'

export interface SourceStore {
  list(): Promise<Source[]>
  read(id: string): Promise<Source | null>
  put(source: Source): Promise<void>
}
