import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as z from 'zod'
import { localClientSettings } from '../../../infra/local/emulators.ts'
import { mapBounded } from '../../../shared/adapters/bounded.ts'
import { createDocumentClient } from '../../../shared/adapters/dynamodb/document-client.ts'
import { hourMs } from '../../../shared/domain/time-units.ts'
import { createTestClock } from '../../unit/delivery/harness.ts'
import { forkChild } from '../children.ts'
import { countBacklog, portsOf, startReleaser } from './operations.ts'
import { logRecent, putDue, putSettings } from './table-contents.ts'
import { endpointIds, pastIds, sourceId, startMs, startSecond, unsettled } from './world.ts'

const writesAtOnce = 8
const endpoints = 10
const emulatorsSchema = z.object({ dynamodb: z.object({ endpoint: z.string(), tableName: z.string() }) })

/** The calls of two operations with dynalite for the table, where so many deliveries wait: they are to be the same. */
export const callsOnEmulator = async (waiting: number): Promise<{ release: number; backlog: number }> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'bridge-bench-growth-'))
  const emulators = forkChild('emulators-child.ts', [dataDir])
  try {
    const { dynamodb } = await emulators.first(emulatorsSchema)
    const client = createDocumentClient({ ...localClientSettings, endpoint: dynamodb.endpoint })
    let calls = 0
    client.middlewareStack.add(
      next => async args => {
        calls += 1
        return next(args)
      },
      { step: 'build', name: 'count' },
    )
    const { clock } = createTestClock(startMs)
    const ports = portsOf({ table: { client, tableName: dynamodb.tableName } }, clock)
    await putSettings(ports, endpoints)
    await logRecent(ports)
    await putWaiting(ports, waiting)
    const release = startReleaser(ports)
    await release({})
    await putDue(ports, 0)
    const callsOf = async (act: () => Promise<unknown>): Promise<number> => {
      const before = calls
      await act()
      return calls - before
    }
    return { release: await callsOf(() => release({})), backlog: await callsOf(() => countBacklog(ports)) }
  } finally {
    emulators.end()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

const putWaiting = async ({ store }: ReturnType<typeof portsOf>, count: number): Promise<void> => {
  const ids = pastIds(count, 2)
  await mapBounded(ids, writesAtOnce, eventId => {
    const dueMs = startMs + hourMs
    const of = { endpointId: endpointIds.waiting, eventId, sourceId, stream: 'bounces', dueMs } as const
    const kept = { writeId: 'bench', expiresAtSeconds: startSecond + 1_000_000 }
    return store.write({ ...unsettled('waiting'), ...of, ...kept }, { kind: 'unsettled_before', rank: 2_000 })
  })
}
