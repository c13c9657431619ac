import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { BridgeError } from '../../shared/domain/bridge-error.ts'
import { type SecretStore, secretNamePrefixes, tokenSecretName } from '../../shared/domain/secret-store.ts'
import type { Source } from '../../shared/domain/source.ts'
import type { SourceStore } from '../../shared/domain/source-store.ts'
import { DataFolderError } from './data-folder.ts'
import { sourceId } from './endpoint-id.ts'
import { secretsFolder } from './folder-secrets.ts'
import type { BridgeSettings } from './settings.ts'

type Deps = { store: SourceStore; secrets: SecretStore; dataDir: string }

/** The source that the command line names; null where the folder's own are to be run. */
export const namedSource = (settings: Pick<BridgeSettings, 'source'>): Source | null => {
  if (settings.source === null) return null
  const id = sourceId(settings.source)
  return { ...settings.source, id, tokenSecret: tokenSecretName(id), state: 'active' }
}

/** Whether the operator's command gave this folder a source: it keeps the token of each, and npm start keeps none. */
export const keepsSources = (dataDir: string): boolean => {
  const folder = join(dataDir, secretsFolder)
  return existsSync(folder) && readdirSync(folder).some(name => name.startsWith(secretNamePrefixes.token))
}

/** Before the folder is made: one that is misspelled is not to come into being. Throws a `DataFolderError`. */
export const refuseWithoutDatabase = (dataDir: string): void => {
  if (!existsSync(join(dataDir, 'dynamodb'))) throw noSource(dataDir)
}

/**
 * Refuses to make a second source of an address that the operator's command added: of the same account each record would
 * come twice, under two ids. Whether it is the same account can't be known, and to give the other one this token could
 * have it read a stranger's. One that this folder polls already goes on. Throws a `DataFolderError`.
 */
export const refuseTwin = async (named: Source, { store, dataDir }: Omit<Deps, 'secrets'>): Promise<void> => {
  const sources = await store.list()
  if (sources.some(({ id }) => id === named.id)) return
  const isTwin = ({ baseUrl, pathPrefix }: Source): boolean => sourceId({ baseUrl, pathPrefix }) === named.id
  const twin = sources.find(isTwin)
  if (twin === undefined) return
  throw new DataFolderError({
    code: 'source_twice',
    message: `the data folder ${dataDir} has the source "${twin.id}" of ${named.baseUrl}${named.pathPrefix} already: each of its records would be sent twice`,
    hint: `Run what the folder has: npm start -- --data ${dataDir}. For another account at this address: bridge source add, or a folder of its own with --data.`,
  })
}

/** The sources of the folder; at least one that is active has its token, or all are paused. Throws a `DataFolderError`. */
export const folderSources = async ({ store, secrets, dataDir }: Deps): Promise<Source[]> => {
  const sources = await store.list()
  if (sources.length === 0) throw noSource(dataDir)
  const active = sources.filter(({ state }) => state === 'active')
  const having = await Promise.all(active.map(({ tokenSecret }) => hasSecret(secrets, tokenSecret)))
  const [first] = active
  if (first === undefined || having.includes(true)) return active
  throw new DataFolderError({
    code: 'source_token_missing',
    message: `the data folder ${dataDir} has no token of the source "${first.id}" (${first.baseUrl}${first.pathPrefix})`,
    hint: `Start it with its flags (--source-url, --token, --endpoint), or keep its token there: bridge source token ${first.id} --data ${dataDir}.`,
  })
}

/** A source's token; one that is missing says how to give it. */
export const tokenOf = async (secrets: SecretStore, { id, tokenSecret }: Source): Promise<string> => {
  try {
    return await secrets.read(tokenSecret)
  } catch (error) {
    if (!(error instanceof BridgeError) || error.code !== 'secret_missing') throw error
    const hint = `Give the token: bridge source token ${id}.`
    throw new BridgeError({ code: error.code, message: error.message, hint, cause: error })
  }
}

const hasSecret = async (secrets: SecretStore, name: string): Promise<boolean> => {
  try {
    await secrets.read(name)
    return true
  } catch (error) {
    if (error instanceof BridgeError && error.code === 'secret_missing') return false
    throw error
  }
}

const noSource = (dataDir: string): DataFolderError =>
  new DataFolderError({
    code: 'source_missing',
    message: `there is no source in the data folder ${dataDir}`,
    hint:
      'Name one by flags: --source-url, --token (or BRIDGE_API_TOKEN) and --endpoint; or add one: ' +
      `bridge source add main --url https://api.example.com --data ${dataDir}, then bridge endpoint add.`,
  })
