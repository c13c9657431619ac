import { DataFolderError } from './data-folder.ts'
import { openLevel } from './open-level.ts'

export type FolderLock = { release(): Promise<void> }

/**
 * Takes the lock at `path`, or returns null where a living process has it. It is the lock of a LevelDB: one of the
 * operating system, which dies with the process however that ends, so that a start right after a `kill -9` finds no
 * stale one. A file with a process id could name another process by then. Throws a `DataFolderError`.
 */
export const takeFolderLock = async (path: string): Promise<FolderLock | null> => {
  const opened = await openLevel(path)
  const { database } = opened
  if (database !== null) return { release: () => database.close() }
  if (opened.isLocked) return null
  throw new DataFolderError({
    code: 'data_folder_unreadable',
    message: `the lock in ${path} can't be taken`,
    hint: 'Check that the folder may be written to and the disk is not full, or give another one with --data.',
    cause: opened.cause,
  })
}
