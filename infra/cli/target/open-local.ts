import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createLayeredSecretStore } from '../../../shared/adapters/secrets/layered-secret-store.ts'
import { createMemorySecretStore } from '../../../shared/adapters/secrets/memory-secret-store.ts'
import type { Clock } from '../../../shared/domain/clock.ts'
import { localClientSettings } from '../../local/client-settings.ts'
import { DataFolderError } from '../../local/data-folder.ts'
import type { Emulators } from '../../local/emulators.ts'
import { createFolderSecrets } from '../../local/folder-secrets.ts'
import { readRunning } from '../../local/running-file.ts'
import { keepSigningSecrets, type SigningSecrets } from '../../local/signing-secrets.ts'
import { enterStateFolder } from '../../local/state-folder.ts'
import { CommandError } from '../failures.ts'
import { composeOperatorBridge, type OperatorBridge } from './operator-bridge.ts'

/** How long a bridge that is starting, or another command, may keep us waiting for the folder. */
const waitMsMax = 10_000
const lookAgainMs = 200
const healthTimeoutMs = 1_000

type Opened = Pick<Emulators, 'dynamodb' | 'sqs' | 'queueUrls'> & {
  isRunning: boolean
  close: () => Promise<void>
}

/**
 * The bridge of a data folder: through a running one's emulators, or through emulators of our own where none runs. What
 * a killed bridge left behind counts for nothing: its lock died with it. Throws a `CommandError` where there is no
 * folder and none is to be made, and a `DataFolderError` where it can't be used.
 */
export const openLocal = async (of: {
  dataDir: string
  make: boolean
  clock: Clock
  signal: AbortSignal
}): Promise<OperatorBridge> => {
  const { dataDir } = of
  if (!of.make && !existsSync(join(dataDir, 'dynamodb'))) throw missing(dataDir)
  const opened = await open(of)
  const settingsAt = (endpoint: string) => ({ ...localClientSettings, endpoint })
  const kept = createFolderSecrets(dataDir)
  const { secrets } = await masterOf(dataDir, opened)
  const master = createMemorySecretStore({ secrets })
  return composeOperatorBridge({
    target: { kind: 'local', dataDir, isRunning: opened.isRunning },
    dynamodb: { settings: settingsAt(opened.dynamodb.endpoint), tableName: opened.dynamodb.tableName },
    sqs: { settings: settingsAt(opened.sqs.endpoint), queueUrls: opened.queueUrls },
    secrets: createLayeredSecretStore([kept, master]),
    secretWriter: kept,
    onClose: opened.close,
  })
}

const masterOf = async (dataDir: string, opened: Opened): Promise<SigningSecrets> => {
  try {
    return keepSigningSecrets(dataDir, [])
  } catch (error) {
    await opened.close()
    throw error
  }
}

const open = async (of: Parameters<typeof openLocal>[0]): Promise<Opened> => {
  const { dataDir, clock, signal } = of
  const untilMs = clock.now() + waitMsMax
  for (;;) {
    const running = readRunning(dataDir)
    if (running !== null && (await isHealthy(running.dynamodb.endpoint))) {
      return { ...running, isRunning: true, close: async () => undefined }
    }
    const entered = await enter(dataDir, { isLastTry: clock.now() >= untilMs || signal.aborted })
    if (entered !== null) return entered
    await clock.sleep(lookAgainMs, signal)
  }
}

/** The process of a stale file may be another one by now: what answers at the address tells. */
const isHealthy = async (endpoint: string): Promise<boolean> => {
  try {
    const answer = await fetch(endpoint, { signal: AbortSignal.timeout(healthTimeoutMs) })
    return (await answer.text()).startsWith('healthy: dynamodb')
  } catch {
    return false
  }
}

/** Starts the emulators on the folder; null where somebody has it who may be gone, or ready, in a moment. */
const enter = async (dataDir: string, { isLastTry }: { isLastTry: boolean }): Promise<Opened | null> => {
  // Loaded late: where a bridge runs none of it is needed, and it takes its time.
  const { startEmulators } = await import('../../local/emulators.ts')
  await using opening = new AsyncDisposableStack()
  try {
    const folder = await enterStateFolder({ dataDir, source: null })
    opening.defer(() => folder.leave())
    const emulators = await startEmulators({ dataDir })
    opening.defer(() => emulators.close())
    const { dynamodb, sqs, queueUrls } = emulators
    const opened = opening.move()
    return { dynamodb, sqs, queueUrls, isRunning: false, close: () => opened.disposeAsync() }
  } catch (error) {
    if (!isLastTry && error instanceof DataFolderError && error.code === 'data_folder_in_use') return null
    throw error
  }
}

const missing = (dataDir: string): CommandError =>
  new CommandError({
    code: 'data_folder_missing',
    message: `there is no bridge in the folder ${dataDir}`,
    hint: 'Name its folder with --data, or a deployed stack with --stack; npm start, or source add, makes a new one.',
  })
