import { type Endpoint, noFilters } from '../../shared/domain/endpoint/endpoint.ts'
import type { EndpointStore } from '../../shared/domain/endpoint/endpoint-store.ts'
import { endpointId } from './endpoint-id.ts'
import type { EndpointSettings } from './settings.ts'
import { givenSecretName, keyVersion } from './signing-secrets.ts'

/** Why an endpoint of an earlier start is disabled. */
export const notNamed = 'not_named'

/** An endpoint as the command line names it: active, also where a 410 had disabled it, since a person names it. */
export const toEndpoint = ({ url, secret, types }: EndpointSettings): Endpoint => {
  const id = endpointId(url)
  const key = {
    version: keyVersion,
    secret: secret === null ? null : givenSecretName(id),
    signsUntilMs: null,
  }
  return { id, url, types, filters: noFilters, keys: [key], state: 'active', stateReason: null, slow: false }
}

/**
 * Writes the endpoints that are named, and disables those of earlier starts that are not: what is for them is held until
 * they are named again. Returns the latter.
 */
export const putNamedEndpoints = async (
  named: readonly Endpoint[],
  store: EndpointStore,
): Promise<Endpoint[]> => {
  for (const endpoint of named) await store.put(endpoint)
  const ids = new Set(named.map(({ id }) => id))
  const others = (await store.list()).filter(({ id, state }) => !ids.has(id) && state !== 'removed')
  for (const { id, state } of others) {
    if (state === 'active') await store.setState({ id, state: 'disabled', reason: notNamed })
  }
  return others
}
