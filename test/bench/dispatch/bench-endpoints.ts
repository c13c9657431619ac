import * as z from 'zod'
import { type Endpoint, endpointDefaults } from '../../../shared/domain/endpoint/endpoint.ts'

/** Endpoints of a run: so many, spread over these ports; a port is an origin of its own. */
export const endpointsSchema = z.object({ count: z.number(), ports: z.array(z.number()) })
export type EndpointsOf = z.infer<typeof endpointsSchema>

/** The same in each process that needs to know them. */
export const benchEndpoints = ({ count, ports }: EndpointsOf): Endpoint[] =>
  Array.from({ length: count }, (_, at) => ({
    ...endpointDefaults,
    id: `ep-${String(at).padStart(5, '0')}`,
    url: `http://127.0.0.1:${ports[at % ports.length]}/hooks/${at}`,
    types: ['*'],
    keys: [{ version: 1, secret: null, signsUntilMs: null }],
  }))
