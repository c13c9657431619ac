import type { Endpoint } from '../../../shared/domain/endpoint/endpoint.ts'

/** The names of the secrets that are this endpoint's alone: they go with it. */
export const ownSecretsOf = ({ keys, authorization }: Endpoint): string[] => [
  ...keys.flatMap(({ secret }) => secret ?? []),
  ...(authorization === null ? [] : [authorization.secret]),
]
