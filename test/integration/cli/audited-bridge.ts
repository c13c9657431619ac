import { createFolderSecrets } from '../../../infra/local/folder-secrets.ts'
import { startSimulator } from '../../../infra/simulator/server.ts'
import { createCursorStore } from '../../../shared/adapters/dynamodb/cursor-store.ts'
import { createQuarantine } from '../../../shared/adapters/dynamodb/quarantine.ts'
import { type Cursor, emptyCursor } from '../../../shared/domain/polling/cursor.ts'
import type { StreamName } from '../../../shared/domain/source.ts'
import { endpointOf, openTable, sourceOf } from './filled-table.ts'
import { holdFolder } from './held-folder.ts'

type SimulatorOptions = NonNullable<Parameters<typeof startSimulator>[0]>

/** A data folder with one source, polled from a simulator up to `readUntil`, and one endpoint. */
export const holdAudited = async (of: {
  floorSecond: number
  readUntil: number
  options?: SimulatorOptions
  requestsPerMinute?: number
}) => {
  await using opening = new AsyncDisposableStack()
  const folder = opening.use(await holdFolder())
  const simulator = await startSimulator({ rateLimit: 0, ...of.options })
  opening.defer(() => simulator.close())
  const table = opening.use(openTable(folder.emulators))
  const { requestsPerMinute = 1_000_000 } = of
  await table.sources.put({
    ...sourceOf('main'),
    baseUrl: simulator.url,
    requestsPerMinute,
    pollEverySeconds: 5,
  })
  const token = { name: 'token-main', text: simulator.token, about: 'API token of the source main' }
  await createFolderSecrets(folder.path).put(token)
  await table.endpoints.put(endpointOf('crm'))
  const cursors = createCursorStore(table.document)
  const start = async (stream: StreamName, fields: Partial<Cursor> = {}): Promise<void> => {
    const newest = { uuid: 'newest', second: of.readUntil }
    const cursor = { ...emptyCursor, floorSecond: of.floorSecond, newest, firstWalkComplete: true, ...fields }
    await cursors.commit({ sourceId: 'main', stream, name: 'main' }, cursor, null)
  }
  await start('bounces')
  const disposables = opening.move()
  return {
    ...folder,
    simulator,
    table,
    quarantine: createQuarantine(table.document),
    start,
    [Symbol.asyncDispose]: () => disposables.disposeAsync(),
  }
}
