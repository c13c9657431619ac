import { createRequire } from 'node:module'
import * as z from 'zod'
import type { LevelDatabase } from './mend-index.ts'

const levelSchema = z.object({
  Level: z.custom<new (path: string, options: { valueEncoding: 'json' }) => LevelDatabase>(
    value => typeof value === 'function',
  ),
})
const lockedSchema = z.object({ cause: z.object({ code: z.literal('LEVEL_LOCKED') }) })

export type OpenedLevel = { database: LevelDatabase } | { database: null; isLocked: boolean; cause: unknown }

/** Opens a LevelDB by dynalite's own copy of the library, so that there is one format. */
export const openLevel = async (path: string): Promise<OpenedLevel> => {
  const requireOfDynalite = createRequire(import.meta.resolve('dynalite'))
  const { Level } = levelSchema.parse(requireOfDynalite('level'))
  const database = new Level(path, { valueEncoding: 'json' })
  try {
    await database.open()
    return { database }
  } catch (cause) {
    return { database: null, isLocked: lockedSchema.safeParse(cause).success, cause }
  }
}
