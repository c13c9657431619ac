/** API tokens and signing keys, by name. */
export interface SecretStore {
  /** Throws a `BridgeError` with code `secret_missing` where there is none of that name. */
  read(name: string): Promise<string>
}

/** The names that the bridge itself uses. */
export const masterSecretName = 'signing-master'
export const tokenSecretName = (sourceId: string): string => `token-${sourceId}`
