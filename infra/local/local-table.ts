import type { Server } from 'node:http'
import dynalite from 'dynalite'
import { createTable } from '../../shared/adapters/dynamodb/create-table.ts'
import { createTableClient } from '../../shared/adapters/dynamodb/document-client.ts'
import { localClientSettings } from './client-settings.ts'
import { enterDataFolder } from './data-folder.ts'
import { close, listen } from './loopback.ts'
import { writeEntries } from './mend-index.ts'

export const localTableName = 'feedback-bridge'

export { localClientSettings } from './client-settings.ts'

export type LocalTable = { endpoint: string; tableName: string; close(): Promise<void> }

/**
 * DynamoDB in this process, on disk where `dataDir` is set, with its table. Throws a `DataFolderError` where another
 * process has the folder.
 */
export const startLocalTable = async ({ dataDir }: { dataDir?: string }): Promise<LocalTable> => {
  const folder = dataDir === undefined ? null : await enterDataFolder(dataDir, localTableName)
  const server = dynalite({ createTableMs: 0, ...(folder && { path: folder.path }) })
  surviveAbortedRequests(server)
  const endpoint = await listen(server)
  const client = createTableClient({ ...localClientSettings, endpoint })
  try {
    await createTable({ client, tableName: localTableName })
    await writeEntries({ client, tableName: localTableName }, folder?.withoutEntry ?? [])
  } catch (error) {
    await close(server)
    throw error
  } finally {
    client.destroy()
  }
  return {
    endpoint,
    tableName: localTableName,
    close: async () => {
      await close(server)
      folder?.left()
    },
  }
}

/** dynalite throws at the process when a client goes away in the middle of a request; the request is gone, no more. */
const surviveAbortedRequests = (server: Server): void => {
  server.on('request', request => {
    request.removeAllListeners('error')
    request.on('error', () => {})
  })
}
