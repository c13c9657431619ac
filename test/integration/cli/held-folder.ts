import { startEmulators } from '../../../infra/local/emulators.ts'
import { enterStateFolder } from '../../../infra/local/state-folder.ts'
import { temporaryFolder } from '../local/folders.ts'
import { commandOn } from './bridge-command.ts'

/**
 * A data folder whose emulators run in this process, as a running bridge's do: a command is twice as quick on it, and a
 * test may look into the table. Nothing is polled or delivered.
 */
export const holdFolder = async () => {
  const temporary = temporaryFolder()
  const folder = await enterStateFolder({ dataDir: temporary.path, source: null })
  const emulators = await startEmulators({ dataDir: temporary.path })
  const { dynamodb, sqs, queueUrls } = emulators
  folder.announce({ startedAt: new Date().toISOString(), dynamodb, sqs, queueUrls })
  return {
    path: temporary.path,
    of: temporary.of,
    emulators,
    bridge: commandOn(temporary.path),
    [Symbol.asyncDispose]: async (): Promise<void> => {
      await emulators.close()
      await folder.leave()
      temporary[Symbol.dispose]()
    },
  }
}
