import type { QueueUrls } from '../../shared/adapters/sqs/queues.ts'
import { startLocalQueues } from './local-queues.ts'
import { startLocalTable } from './local-table.ts'

export { localClientSettings } from './client-settings.ts'
export { DataFolderError } from './data-folder.ts'

export type Emulators = {
  dynamodb: { endpoint: string; tableName: string }
  sqs: { endpoint: string }
  queueUrls: QueueUrls
  close(): Promise<void>
}

/**
 * DynamoDB and SQS in this process, on loopback ports, with table and queues; the table on disk where `dataDir` is set.
 * Throws a `DataFolderError` (`data_folder_in_use`) where another process has the folder. After a `kill -9` the index is
 * mended before this returns.
 */
export const startEmulators = async ({ dataDir }: { dataDir?: string } = {}): Promise<Emulators> => {
  const table = await startLocalTable(dataDir === undefined ? {} : { dataDir })
  const queues = await startLocalQueues().catch(async error => {
    await table.close()
    throw error
  })
  return {
    dynamodb: { endpoint: table.endpoint, tableName: table.tableName },
    sqs: { endpoint: queues.endpoint },
    queueUrls: queues.queueUrls,
    close: async () => {
      await queues.close()
      await table.close()
    },
  }
}
