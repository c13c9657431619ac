/** API tokens, signing keys and what endpoints are asked with, by name. */
export interface SecretStore {
  /** Throws a `BridgeError` with code `secret_missing` where there is none of that name. */
  read(name: string): Promise<string>
}

/** What a secret's name begins with says who may read it: policies of the stack go by it. */
export const secretNamePrefixes = {
  signing: 'signing-',
  token: 'token-',
  authorization: 'authorization-',
} as const

/** The names that the bridge itself uses. */
export const masterSecretName = `${secretNamePrefixes.signing}master`
export const tokenSecretName = (sourceId: string): string => `${secretNamePrefixes.token}${sourceId}`
/** An endpoint's own secret, where its key is not derived. */
export const signingSecretName = (endpointId: string, version: number): string =>
  `${secretNamePrefixes.signing}${endpointId}-${version}`
/** What an endpoint wants to be asked with (`Authorization` of endpoint.ts). */
export const authorizationSecretName = (endpointId: string): string =>
  `${secretNamePrefixes.authorization}${endpointId}`
