import type { Endpoint } from '../../../shared/domain/endpoint/endpoint.ts'
import type { Standing } from '../../../shared/domain/release/count-standing.ts'
import { isoOrNull } from '../output/moments.ts'
import type { StandingByState } from './standing.ts'

/** What `--json` shows of an endpoint: documented in infra/cli/README.md, and only ever added to. */
export const endpointJson = (endpoint: Endpoint) => ({
  id: endpoint.id,
  url: endpoint.url,
  state: endpoint.state,
  stateReason: endpoint.stateReason,
  types: endpoint.types,
  filters: endpoint.filters,
  keys: endpoint.keys.map(({ version, secret, signsUntilMs }) => ({
    version,
    /** Where it is kept; null: derived from the master secret. */
    secret,
    signsUntil: isoOrNull(signsUntilMs),
  })),
  lane: endpoint.slow ? 'slow' : 'fast',
})

export const standingJson = (standing: StandingByState) => ({
  waiting: countJson(standing.waiting),
  held: countJson(standing.held),
  dead: countJson(standing.dead),
})

const countJson = ({ count, atLeast, oldestEventMs }: Standing) => ({
  count,
  atLeast,
  oldestEvent: isoOrNull(oldestEventMs),
})
