import { masterSecretName } from '../../../shared/domain/secret-store.ts'
import { formatSecret } from '../../../shared/domain/signing/signing-keys.ts'
import type { PlannedEndpoint } from '../plan/draw-endpoint.ts'

export const signingSecretOf = (version: number): string => formatSecret(new Uint8Array(32).fill(version))

/** What an endpoint's secrets are, by the names that it has for them. */
export const secretsOf = ({ endpoint }: PlannedEndpoint): [name: string, text: string][] => [
  ...endpoint.keys.flatMap(({ secret, version }): [string, string][] =>
    secret === null ? [] : [[secret, signingSecretOf(version)]],
  ),
  ...(endpoint.authorization === null
    ? []
    : [[endpoint.authorization.secret, `Tok3n+of/${endpoint.id}`] satisfies [string, string]]),
]

export const secretsAtStart = (endpoints: readonly PlannedEndpoint[]): Map<string, string> =>
  new Map([[masterSecretName, formatSecret(new Uint8Array(32).fill(0xa7))], ...endpoints.flatMap(secretsOf)])
