import type { SecretStore } from '../../domain/secret-store.ts'
import { secretMissing } from './secret-errors.ts'

/** Secrets from a map: those of the command line locally, and of tests. */
export const createMemorySecretStore = ({
  secrets,
}: {
  secrets: ReadonlyMap<string, string>
}): SecretStore => ({
  read: async name => {
    const secret = secrets.get(name)
    if (secret === undefined) throw secretMissing(name, 'memory')
    return secret
  },
})
