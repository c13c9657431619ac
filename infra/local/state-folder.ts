import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { DataFolderError } from './data-folder.ts'
import { readJsonFile, removeFile, writeJsonFile } from './folder-files.ts'
import { takeFolderLock } from './folder-lock.ts'
import { type RunningBridgeFile, runningPath } from './running-file.ts'

const lockFolder = 'lock'
/** Who has the lock: written at once, where running.json has to wait for the emulators. */
const ownerFile = 'owner.json'
const sourceFile = 'bridge.json'

const sourceSchema = z.object({
  v: z.literal(1),
  /** Null in a folder that the operator's command made, until a start names one. */
  source: z.object({ id: z.string(), baseUrl: z.string(), pathPrefix: z.string() }).nullable(),
})
const ownerSchema = z.object({ pid: z.int().positive() })
type RememberedSource = NonNullable<z.infer<typeof sourceSchema>['source']>

/** The data folder, ours until `leave`. */
export type StateFolder = {
  path: string
  /** Tells the operator's command where the emulators are. */
  announce(running: Omit<RunningBridgeFile, 'v' | 'pid'>): void
  /** Where the start is refused that made it the folder of a source: of none, as it was. */
  disown(): void
  leave(): Promise<void>
}

/**
 * Makes the folder ours: creates it for the owner alone, takes its lock, and holds it to its source; whoever has none, as
 * the operator's command, gives null. `fresh` empties it first, once it is locked: for the demo's. Throws a
 * `DataFolderError`: in use, of another source, or unusable.
 */
export const enterStateFolder = async (of: {
  dataDir: string
  source: RememberedSource | null
  fresh?: boolean
}): Promise<StateFolder> => {
  const path = of.dataDir
  makeFolder(path)
  const lock = await takeFolderLock(join(path, lockFolder))
  if (lock === null) throw inUse(path)
  let isNew: boolean
  try {
    writeJsonFile(join(path, ownerFile), { pid: process.pid })
    if (of.fresh) empty(path)
    // Whoever wrote it is gone, since we have the lock.
    removeFile(runningPath(path))
    isNew = rememberSource(path, of.source)
  } catch (error) {
    await lock.release()
    throw error
  }
  return {
    path,
    announce: running => writeJsonFile(runningPath(path), { v: 1, pid: process.pid, ...running }),
    disown: () => {
      if (isNew) writeJsonFile(join(path, sourceFile), { v: 1, source: null })
    },
    leave: async () => {
      removeFile(runningPath(path))
      removeFile(join(path, ownerFile))
      await lock.release()
    },
  }
}

const makeFolder = (path: string): void => {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    throw new DataFolderError({
      code: 'data_folder_unusable',
      message: `the data folder ${path} can't be made (${code})`,
      hint: 'Give a folder that you may write to, with --data.',
      cause: error,
    })
  }
}

const inUse = (path: string): DataFolderError => {
  const pid = ownerPid(path)
  return new DataFolderError({
    code: 'data_folder_in_use',
    message: `the data folder ${path} is in use by ${pid === null ? 'another process' : `process ${pid}`}`,
    hint: 'End that bridge first, or give this one a folder of its own with --data.',
  })
}

const ownerPid = (path: string): number | null => {
  try {
    return readJsonFile(join(path, ownerFile), ownerSchema)?.pid ?? null
  } catch {
    // Only to name it: that the folder is locked is known without.
    return null
  }
}

const empty = (path: string): void => {
  for (const name of readdirSync(path)) {
    if (name !== lockFolder && name !== ownerFile) rmSync(join(path, name), { recursive: true, force: true })
  }
}

/**
 * The cursors in the folder belong to one source: those of another would skip or repeat its records. True where the
 * folder had none before.
 */
const rememberSource = (path: string, source: RememberedSource | null): boolean => {
  const file = join(path, sourceFile)
  const known = readJsonFile(file, sourceSchema)
  if (known === null && existsSync(join(path, 'dynamodb'))) throw forgotten(path)
  if (source === null) {
    if (known === null) writeJsonFile(file, { v: 1, source: null })
    return false
  }
  if (known === null || known.source === null) {
    const { id, baseUrl, pathPrefix } = source
    writeJsonFile(file, { v: 1, source: { id, baseUrl, pathPrefix } })
    return true
  }
  if (known.source.id !== source.id) throw otherSource(path, known.source, source)
  return false
}

const address = ({ baseUrl, pathPrefix }: RememberedSource): string => `${baseUrl}${pathPrefix}`

const otherSource = (path: string, known: RememberedSource, given: RememberedSource): DataFolderError =>
  new DataFolderError({
    code: 'data_folder_of_another_source',
    message: `the data folder ${path} belongs to the source ${address(known)}, not to ${address(given)}`,
    hint: 'Start with the same --source-url and --path-prefix, or give a folder of its own to this source with --data.',
  })

const forgotten = (path: string): DataFolderError =>
  new DataFolderError({
    code: 'data_folder_unreadable',
    message: `the data folder ${path} has a database, but no ${sourceFile} that says of which source`,
    hint: `Put ${sourceFile} back, or give another folder with --data.`,
  })
