import type { BridgeError } from './bridge-error.ts'
import type { Source } from './source.ts'

export interface SourceStore {
  /** One that can't be read is told to `onUnreadable`, and the others are listed; without that, it is thrown. */
  list(onUnreadable?: (id: string, error: BridgeError) => void): Promise<Source[]>
  read(id: string): Promise<Source | null>
  put(source: Source): Promise<void>
  /** Its cursors and events stay: added again under the same id, it goes on where it stood. */
  remove(id: string): Promise<void>
}
