import { createRequire } from 'node:module'
import * as z from 'zod'
import { DataFolderError } from './data-folder.ts'

const levelSchema = z.object({
  Level: z.custom<new (path: string) => { open(): Promise<void>; close(): Promise<void> }>(
    value => typeof value === 'function',
  ),
})
const lockedSchema = z.object({ cause: z.object({ code: z.literal('LEVEL_LOCKED') }) })

export type FolderLock = { release(): Promise<void> }

/**
 * Takes the lock at `path`, or returns null where a living process has it. It is the lock of a LevelDB: one of the
 * operating system, which dies with the process however that ends, so that a start right after a `kill -9` finds no
 * stale one. A file with a process id could name another process by then. Throws a `DataFolderError`.
 */
export const takeFolderLock = async (path: string): Promise<FolderLock | null> => {
  const { Level } = levelSchema.parse(createRequire(import.meta.resolve('dynalite'))('level'))
  const database = new Level(path)
  try {
    await database.open()
  } catch (error) {
    if (lockedSchema.safeParse(error).success) return null
    throw new DataFolderError({
      code: 'data_folder_unreadable',
      message: `the lock in ${path} can't be taken`,
      hint: 'Check that the folder may be written to and the disk is not full, or give another one with --data.',
      cause: error,
    })
  }
  return { release: () => database.close() }
}
