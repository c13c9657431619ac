import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { secretMissing } from '../../shared/adapters/secrets/secret-errors.ts'
import { BridgeError } from '../../shared/domain/bridge-error.ts'
import type { SecretStore } from '../../shared/domain/secret-store.ts'
import type { SecretWriter } from '../../shared/domain/secret-writer.ts'
import { readJsonFile, removeFile, writeJsonFile } from './folder-files.ts'

const schema = z.object({ v: z.literal(1), about: z.string(), secret: z.string().min(1) })
/** The folder in a data folder that they are in. */
export const secretsFolder = 'secrets'
const ownerOnly = 0o700
/** Names become file names: nothing that could lead out of the folder. */
const namePattern = /^[A-Za-z0-9][A-Za-z0-9_-]{0,150}$/

/**
 * The secrets that the operator's command keeps in a data folder: a file each, for its owner alone, written whole or not
 * at all, so that a running bridge reads them while they change and two commands don't undo each other.
 */
export const createFolderSecrets = (dataDir: string): SecretStore & SecretWriter => {
  const folder = join(dataDir, secretsFolder)
  const pathOf = (name: string): string => {
    if (namePattern.test(name)) return join(folder, `${name}.json`)
    throw new BridgeError({
      code: 'secret_name',
      message: 'the name of a secret can not be the name of a file',
      hint: 'Give the source or endpoint an id of letters, digits, _ and -.',
    })
  }
  return {
    read: async name => {
      const kept = readJsonFile(pathOf(name), schema)
      if (kept === null) throw secretMissing(name, folder)
      return kept.secret
    },
    put: async ({ name, text, about }) => {
      const path = pathOf(name)
      mkdirSync(folder, { recursive: true, mode: ownerOnly })
      writeJsonFile(path, { v: 1, about, secret: text })
    },
    remove: async name => removeFile(pathOf(name)),
  }
}
