import type { EndpointDirectory } from '../../../shared/domain/delivery/endpoint-directory.ts'
import type { HealthKeeperDeps } from '../../../shared/domain/delivery/health-keeper.ts'
import { type EndpointHealth, goodHealth } from '../../../shared/domain/endpoint/endpoint-health.ts'
import type { EndpointStore } from '../../../shared/domain/endpoint/endpoint-store.ts'

/** As if the endpoint took others meanwhile: what is noted of its health is written, and says that all is well. */
export const amongSuccesses = (of: {
  endpoints: EndpointStore
  directory: EndpointDirectory
}): Pick<HealthKeeperDeps, 'endpoints' | 'directory'> => {
  const good = ({ version }: EndpointHealth): EndpointHealth => ({ ...goodHealth, version })
  return {
    endpoints: { writeHealth: (id, health) => of.endpoints.writeHealth(id, good(health)) },
    directory: { ...of.directory, noteHealth: (id, health) => of.directory.noteHealth(id, good(health)) },
  }
}
