import { BridgeError } from '../../domain/bridge-error.ts'
import type { SecretStore } from '../../domain/secret-store.ts'
import { secretMissing } from './secret-errors.ts'

/** Reads from the first store that has the secret. A store that can't be asked is no reason to ask the next one. */
export const createLayeredSecretStore = (stores: readonly SecretStore[]): SecretStore => ({
  read: async name => {
    for (const store of stores) {
      try {
        return await store.read(name)
      } catch (error) {
        if (!(error instanceof BridgeError) || error.code !== 'secret_missing') throw error
      }
    }
    throw secretMissing(name, 'any of the places that were asked')
  },
})
