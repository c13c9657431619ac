import { createLayeredSecretStore } from '../../shared/adapters/secrets/layered-secret-store.ts'
import { createMemorySecretStore } from '../../shared/adapters/secrets/memory-secret-store.ts'
import type { Endpoint } from '../../shared/domain/endpoint/endpoint.ts'
import type { SecretStore } from '../../shared/domain/secret-store.ts'
import type { Source } from '../../shared/domain/source.ts'
import { createFolderSecrets } from './folder-secrets.ts'
import type { BridgeSettings } from './settings.ts'
import { givenSecretName } from './signing-secrets.ts'

/** The secrets of a start, by name: what its command line gives. */
export const givenSecrets = (
  settings: BridgeSettings,
  source: Source | null,
  endpoints: readonly Endpoint[],
): (readonly [string, string])[] => [
  ...(source === null || settings.token === null ? [] : [[source.tokenSecret, settings.token] as const]),
  ...endpoints.flatMap(({ id }, at) => {
    const secret = settings.endpoints[at]?.secret ?? null
    return secret === null ? [] : [[givenSecretName(id), secret] as const]
  }),
]

/**
 * What the operator's command keeps in the folder comes first, so that a new token is used at once. But the last word
 * counts: what this start gives takes the place of what was kept before it, by `replaceKept`.
 */
export const secretsOf = (
  dataDir: string,
  given: ReadonlyMap<string, string>,
): { secrets: SecretStore; replaceKept: () => Promise<void> } => {
  const kept = createFolderSecrets(dataDir)
  return {
    secrets: createLayeredSecretStore([kept, createMemorySecretStore({ secrets: given })]),
    replaceKept: async () => {
      for (const name of given.keys()) await kept.remove(name)
    },
  }
}
