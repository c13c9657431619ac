import { readFile, stat } from 'node:fs/promises'
import { UsageError } from '../failures.ts'
import type { Session } from '../session.ts'
import type { Declared } from './file-schema.ts'
import { readDeclared } from './read-file.ts'

/** A thousand endpoints take a tenth of it. */
const fileBytesMax = 1024 * 1024
const standardInputName = '-'

/** Reads and checks a file of declarations, or standard input. Throws a `UsageError` with all of its problems. */
export const loadDeclared = async (path: string, { io }: Pick<Session, 'io'>): Promise<Declared> => {
  const isPiped = path === standardInputName
  const text = isPiped ? ((await io.standardInput()) ?? '') : await contentsOf(path)
  const read = readDeclared(text)
  if (read.kind === 'declared') return read.declared
  const name = isPiped ? 'standard input' : path
  throw new UsageError(
    read.problems.map(
      problem => `${name}${problem.line === null ? '' : `:${problem.line}`}: ${problem.text}`,
    ),
  )
}

const contentsOf = async (path: string): Promise<string> => {
  try {
    const { size } = await stat(path)
    if (size > fileBytesMax) throw new UsageError([`${path}: has more than ${fileBytesMax} bytes`])
    return await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof UsageError) throw error
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    throw new UsageError([`${path}: can't be read (${code})`])
  }
}
