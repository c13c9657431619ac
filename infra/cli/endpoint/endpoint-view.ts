import type { Endpoint } from '../../../shared/domain/endpoint/endpoint.ts'
import type { Standing } from '../../../shared/domain/release/count-standing.ts'
import { isoOrNull } from '../output/moments.ts'
import { healthJson } from './health.ts'
import type { StandingByState } from './standing.ts'

/** What `--json` shows of an endpoint: documented in infra/cli/README.md, and only ever added to. */
export const endpointJson = (endpoint: Endpoint, { showsHeaders = false } = {}) => ({
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
  limits: endpoint.limits,
  /** By name; null is a value that is not shown. */
  headers: Object.fromEntries(
    Object.entries(endpoint.headers).map(([name, value]) => [name, showsHeaders ? value : null]),
  ),
  authorization: endpoint.authorization?.scheme ?? null,
  heartbeatEverySeconds: endpoint.heartbeatEverySeconds,
  stateSince: isoOrNull(endpoint.stateSinceMs),
  health: healthJson(endpoint),
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
