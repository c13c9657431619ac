import { startSimulator } from '../../../infra/simulator/server.ts'
import { createCursorStore } from '../../../shared/adapters/dynamodb/cursor-store.ts'
import { createQuarantine } from '../../../shared/adapters/dynamodb/quarantine.ts'
import { systemClock } from '../../../shared/adapters/system-clock.ts'
import { emptyCursor } from '../../../shared/domain/polling/cursor.ts'
import { startCustomer } from '../local/customers.ts'
import { runBridgeHere } from './bridge-command.ts'
import { deadOf } from './dead-letters.ts'
import { openDocumentTable } from './document-table.ts'
import { deliveryOf, loggedEvent } from './filled-table.ts'
import { hashOf } from './held-quarantine.ts'
import { fill, holdServices } from './held-services.ts'

const nowMs = Date.now()
export const nowSecond = Math.floor(nowMs / 1_000)
/** Of the service; nobody may see it. */
export const token = 'tok-nobody-may-see'
export const laptop = '--allow-private-endpoints'

/** Nothing that these commands wait for takes its time here. */
const clock = { now: () => systemClock.now(), sleep: async () => undefined }

/** A command line on a data folder. */
export const runOn = async (dataDir: string, line: string, stdin?: string) => {
  const target = line.startsWith('completion') ? [] : ['--data', dataDir]
  const ran = await runBridgeHere([...line.split(' '), ...target], {
    clock,
    ...(stdin !== undefined && { stdin }),
  })
  return { line, ...ran }
}

/** It is in quarantine, though today's code can read it. */
export const text = JSON.stringify({ uuid: 'kept', timelogged: nowSecond - 3_600 })

/** A folder with something of everything, for every command to say something of. */
export const holdAll = async () => {
  await using opening = new AsyncDisposableStack()
  const simulator = await startSimulator({ rateLimit: 0, token })
  fill(simulator)
  const folder = opening.use(await holdServices({ main: simulator }))
  const customer = opening.use(await startCustomer())
  const document = opening.use(openDocumentTable(folder.emulators))
  const { table } = folder
  const cursors = createCursorStore(document)
  const cursor = { ...emptyCursor, floorSecond: 0, firstWalkComplete: true }
  await cursors.commit({ sourceId: 'main', stream: 'bounces', name: 'main' }, cursor, null)
  await createQuarantine(document).keep({
    ...{
      sourceId: 'main',
      stream: 'bounces',
      hash: hashOf(text),
      text,
      reason: 'no_usable_time',
      atMs: nowMs,
    },
  })
  const fields = { bounce_type: 'h', bouncecat: 'bad-mailbox', rcpt: 'jo@a.example' }
  const at = (ago: number, uuid: string) =>
    loggedEvent({ second: nowSecond - ago, uuid, fields, endpointIds: ['crm'] })
  const [delivered, dead, waiting] = [at(4_000, 'a'), at(4_100, 'b'), at(4_200, 'c')]
  await table.log.record([delivered, dead, waiting])
  for (const delivery of [
    deliveryOf(delivered),
    deadOf(dead),
    deliveryOf(waiting, { state: 'waiting', dueMs: nowMs + 3_600_000, retryAtMs: nowMs + 3_600_000 }),
  ]) {
    await table.store.write(delivery, { kind: 'unsettled_before', rank: 99 })
  }
  const disposables = opening.move()
  return {
    ...{ path: folder.path, of: folder.of, table, customer },
    ids: { delivered: delivered.id, dead: dead.id, waiting: waiting.id },
    run: (line: string, stdin?: string) => runOn(folder.path, line, stdin),
    [Symbol.asyncDispose]: () => disposables.disposeAsync(),
  }
}
