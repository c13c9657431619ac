import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import * as z from 'zod'
import { masterSecretName } from '../../shared/domain/secret-store.ts'
import {
  deriveKey,
  formatSecret,
  masterSecretBytesMin,
  parseSecret,
} from '../../shared/domain/signing/signing-keys.ts'
import { readJsonFile, writeJsonFile } from './folder-files.ts'

/** The key version that endpoints begin with. */
export const firstKeyVersion = 1

const secret = z.string().refine(text => parseSecret(text).kind === 'key')
const fileSchema = z.object({
  v: z.literal(1),
  /** All others are derived from it. */
  master: secret,
  endpoints: z.record(z.string(), z.object({ url: z.string(), secret: z.string() })),
})

export type SigningSecrets = {
  /** Where a person finds the secrets that receivers need. */
  path: string
  /** For the secret store, by name. */
  secrets: ReadonlyMap<string, string>
}

/**
 * The master secret of a data folder, made on the first start, and in the same file, readable for its owner alone, what
 * follows from it for each of the endpoints: a person copies it into the receiver. Secrets given on the command line
 * are never written. Throws a `DataFolderError` for a file that can't be read.
 */
export const keepSigningSecrets = (
  dataDir: string,
  endpoints: readonly { id: string; url: string; keyVersion: number }[],
): SigningSecrets => {
  const path = join(dataDir, 'signing-secrets.json')
  const known = readJsonFile(path, fileSchema)
  const master = known?.master ?? formatSecret(randomBytes(masterSecretBytesMin))
  const masterKey = parseSecret(master)
  if (masterKey.kind === 'invalid') throw new Error('a master secret that was checked is none')
  const derived = endpoints.map(({ id, url, keyVersion }) => {
    const key = deriveKey({ masterSecret: masterKey.key, endpointId: id, keyVersion })
    return [id, { url, secret: formatSecret(key) }] as const
  })
  const file = { v: 1, master, endpoints: { ...known?.endpoints, ...Object.fromEntries(derived) } }
  if (JSON.stringify(file) !== JSON.stringify(known)) writeJsonFile(path, file)
  return { path, secrets: new Map([[masterSecretName, master]]) }
}

/** The secret store's name of a secret that was given for an endpoint. */
export const givenSecretName = (endpointId: string): string => `given-${endpointId}`
