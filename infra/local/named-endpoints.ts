import { type Endpoint, endpointDefaults } from '../../shared/domain/endpoint/endpoint.ts'
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
  return { ...endpointDefaults, id, url, types, keys: [key] }
}

/**
 * Writes the endpoints that are named, and disables those of earlier starts that are not: what is for them is held until
 * they are named again. Endpoints that the operator's command added are left alone, and so is what it alone can say of
 * one that is named: its filters, limits, headers, … and, where the command line gives no secret, its key versions.
 */
export const putNamedEndpoints = async (
  named: readonly Endpoint[],
  { store, nowMs }: { store: EndpointStore; nowMs: number },
): Promise<{ endpoints: Endpoint[]; notNamed: Endpoint[] }> => {
  const endpoints: Endpoint[] = []
  for (const endpoint of named) {
    // On its own, since what it failed before is forgotten where this enables it.
    await store.setState({ id: endpoint.id, state: 'active', reason: null, atMs: nowMs })
    const merged = withOperators(endpoint, await store.read(endpoint.id))
    await store.put(merged)
    endpoints.push(merged)
  }
  const ids = new Set(named.map(({ id }) => id))
  const others = (await store.list()).filter(
    endpoint => !ids.has(endpoint.id) && endpoint.state !== 'removed' && isOfAStart(endpoint),
  )
  for (const { id, state } of others) {
    if (state === 'active') await store.setState({ id, state: 'disabled', reason: notNamed, atMs: nowMs })
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
  return { ...known, url: named.url, types: named.types, state: named.state, stateReason: null, keys }
}
