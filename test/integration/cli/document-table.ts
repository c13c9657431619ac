import type { Emulators } from '../../../infra/local/emulators.ts'
import { localClientSettings } from '../../../infra/local/local-table.ts'
import { createDocumentClient } from '../../../shared/adapters/dynamodb/document-client.ts'

/** The table itself, for stores that a test needs and others do not. */
export const openDocumentTable = ({ dynamodb }: Pick<Emulators, 'dynamodb'>) => {
  const client = createDocumentClient({ ...localClientSettings, endpoint: dynamodb.endpoint })
  return { client, tableName: dynamodb.tableName, [Symbol.dispose]: () => client.destroy() }
}
