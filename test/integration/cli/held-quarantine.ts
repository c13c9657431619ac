import { createHash } from 'node:crypto'
import { ReceiveMessageCommand } from '@aws-sdk/client-sqs'
import { localClientSettings } from '../../../infra/local/local-table.ts'
import { createCursorStore } from '../../../shared/adapters/dynamodb/cursor-store.ts'
import { createQuarantine } from '../../../shared/adapters/dynamodb/quarantine.ts'
import { createQueueClient } from '../../../shared/adapters/sqs/client.ts'
import { emptyCursor } from '../../../shared/domain/polling/cursor.ts'
import type { StreamName } from '../../../shared/domain/source.ts'
import { jsonOf } from './bridge-command.ts'
import { endpointOf, openTable, sourceOf } from './filled-table.ts'
import { holdFolder } from './held-folder.ts'

export const nowMs = Date.now()
export const hashOf = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex')

/** A folder with two sources and an endpoint, and these texts in quarantine, each a minute older than the one before. */
export const holdQuarantine = async (
  kept: readonly { text: string; reason: string; sourceId?: string; stream?: StreamName }[],
) => {
  const folder = await holdFolder()
  const table = openTable(folder.emulators)
  const { sqs, queueUrls } = folder.emulators
  const queueClient = createQueueClient({ ...localClientSettings, endpoint: sqs.endpoint })
  const quarantine = createQuarantine(table.document)
  const cursors = createCursorStore(table.document)
  await table.endpoints.put(endpointOf('crm'))
  for (const id of ['main', 'other']) {
    await table.sources.put(sourceOf(id))
    const cursor = { ...emptyCursor, floorSecond: 0, firstWalkComplete: true }
    await cursors.commit({ sourceId: id, stream: 'bounces', name: 'main' }, cursor, null)
  }
  for (const [at, { text, reason, sourceId = 'main', stream = 'bounces' }] of kept.entries()) {
    await quarantine.keep({ sourceId, stream, hash: hashOf(text), text, reason, atMs: nowMs - at * 60_000 })
  }
  return {
    ...folder,
    table,
    quarantine,
    hashes: async (args = '--all'): Promise<string[]> =>
      jsonOf(await folder.bridge(`quarantine list --json ${args}`)).records.map(
        ({ hash }: { hash: string }) => hash,
      ),
    queued: async (): Promise<unknown[]> => {
      const receive = { QueueUrl: queueUrls.fast, MaxNumberOfMessages: 10, WaitTimeSeconds: 0 }
      const { Messages = [] } = await queueClient.send(new ReceiveMessageCommand(receive))
      return Messages.map(({ Body }) => JSON.parse(Body ?? ''))
    },
    [Symbol.asyncDispose]: async () => {
      queueClient.destroy()
      table[Symbol.dispose]()
      await folder[Symbol.asyncDispose]()
    },
  }
}
