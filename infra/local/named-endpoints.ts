import { type Endpoint, noFilters } from '../../shared/domain/endpoint/endpoint.ts'
import type { EndpointStore } from '../../shared/domain/endpoint/endpoint-store.ts'
import { endpointId } from './endpoint-id.ts'
import type { EndpointSettings } from './settings.ts'
import { firstKeyVersion, givenSecretName } from './signing-secrets.ts'

/** Why an endpoint of an earlier start is disabled. */
export const notNamed = 'not_named'

/** An endpoint as the command line names it: active, also where a 410 had disabled it, since a person names it. */
export const toEndpoint = ({ url, secret, types }: EndpointSettings): Endpoint => {
  const id = endpointId(url)
  const key = {
    version: firstKeyVersion,
    secret: secret === null ? null : givenSecretName(id),
    signsUntilMs: null,
  }
  return { id, url, types, filters: noFilters, keys: [key], state: 'active', stateReason: null, slow: false }
}

/**
 * Writes the endpoints that are named, and disables those of earlier starts that are not: what is for them is held until
 * they are named again. Endpoints that the operator's command added are left alone, and so is what it alone can say of
 * one that is named: its filters and, where the command line gives no secret, its key versions.
 */
export const putNamedEndpoints = async (
  named: readonly Endpoint[],
  store: EndpointStore,
): Promise<{ endpoints: Endpoint[]; notNamed: Endpoint[] }> => {
  const endpoints: Endpoint[] = []
  for (const endpoint of named) {
    const merged = withOperators(endpoint, await store.read(endpoint.id))
    await store.put(merged)
    endpoints.push(merged)
  }
  const ids = new Set(named.map(({ id }) => id))
  const others = (await store.list()).filter(
    endpoint => !ids.has(endpoint.id) && endpoint.state !== 'removed' && isOfAStart(endpoint),
  )
  for (const { id, state } of others) {
    if (state === 'active') await store.setState({ id, state: 'disabled', reason: notNamed })
  }
  return { endpoints, notNamed: others }
}

/** Whether its id is the one that a start derives of its URL: the command's ids never are. */
const isOfAStart = ({ id, url }: Endpoint): boolean => id === endpointId(url)

const withOperators = (named: Endpoint, known: Endpoint | null): Endpoint => {
  if (known === null) return named
  const given = givenSecretName(named.id)
  const isGiven = ({ keys }: Endpoint): boolean => keys.some(({ secret }) => secret === given)
  const keys = isGiven(named) || isGiven(known) ? named.keys : known.keys
  return { ...named, filters: known.filters, keys }
}
