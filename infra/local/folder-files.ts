import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import type * as z from 'zod'
import { DataFolderError } from './data-folder.ts'

/** For its owner alone: the folder holds recipients' addresses, and one file the signing secrets. */
const ownerOnly = 0o600

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'unknown'

/** Writes a JSON file whole or not at all, however the process ends. */
export const writeJsonFile = (path: string, value: unknown): void => {
  const unfinished = `${path}.new`
  writeFileSync(unfinished, `${JSON.stringify(value, null, 2)}\n`, { mode: ownerOnly })
  renameSync(unfinished, path)
}

/** The file's value, or null where there is no such file. Throws a `DataFolderError` for one that can't be read. */
export const readJsonFile = <T>(path: string, schema: z.ZodType<T>): T | null => {
  let value: unknown
  try {
    value = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw unreadable(path, error)
  }
  const parsed = schema.safeParse(value)
  if (!parsed.success) throw unreadable(path, parsed.error)
  return parsed.data
}

export const removeFile = (path: string): void => rmSync(path, { force: true })

const unreadable = (path: string, cause: unknown): DataFolderError =>
  new DataFolderError({
    code: 'data_folder_unreadable',
    message: `the file ${path} can't be read (${codeOf(cause) === 'unknown' ? 'not what it should be' : codeOf(cause)})`,
    hint: 'Repair it or put it back from a copy, or give another folder with --data.',
    cause,
  })
