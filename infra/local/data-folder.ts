import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import type { TableName } from '../../shared/adapters/dynamodb/table.ts'
import { BridgeError } from '../../shared/domain/bridge-error.ts'
import { type LevelDatabase, removeStaleEntries } from './mend-index.ts'
import { openLevel } from './open-level.ts'

/** The data folder can't be used. */
export class DataFolderError extends BridgeError {}

export type DataFolder = {
  /** Of dynalite's database. */
  path: string
  /** Items whose index entry was lost when a process was killed, to be written again. */
  withoutEntry: Record<string, AttributeValue>[]
  /** Says that the database was closed in order. */
  left(): void
}

/**
 * Makes the folder ready for dynalite, before it runs: dynalite itself opens its database late, and throws at the
 * process where that fails. Where the last process that used it was killed, its index is mended. Throws a
 * `DataFolderError`.
 */
export const enterDataFolder = async (dataDir: string, tableName: TableName): Promise<DataFolder> => {
  const path = join(dataDir, 'dynamodb')
  const inUseMarker = join(dataDir, 'dynamodb.in-use')
  mkdirSync(path, { recursive: true })
  const database = await openDatabase(path)
  try {
    const wasKilled = existsSync(inUseMarker)
    writeFileSync(inUseMarker, '')
    const withoutEntry = wasKilled ? await removeStaleEntries(database, tableName) : []
    return { path, withoutEntry, left: () => rmSync(inUseMarker, { force: true }) }
  } finally {
    await database.close()
  }
}

/** dynalite's database. Throws a `DataFolderError`. */
export const openDatabase = async (path: string): Promise<LevelDatabase> => {
  const opened = await openLevel(path)
  if (opened.database !== null) return opened.database
  const { isLocked, cause } = opened
  throw new DataFolderError({
    code: isLocked ? 'data_folder_in_use' : 'data_folder_unreadable',
    message: isLocked
      ? `another process uses the data folder ${path}`
      : `the database in the data folder ${path} can't be opened`,
    hint: isLocked ? 'End the other bridge, or give this one a folder of its own.' : 'Give another folder.',
    cause,
  })
}
