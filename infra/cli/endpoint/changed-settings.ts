import type * as z from 'zod'
import { checkCustomHeaders } from '../../../shared/domain/endpoint/custom-headers.ts'
import type { Endpoint } from '../../../shared/domain/endpoint/endpoint.ts'
import { UsageError } from '../failures.ts'
import type { settingFlags } from './inputs.ts'

/** Flags of an update: what is left out stays, null is what is cleared or lifted. */
export type GivenSettings = { [K in keyof typeof settingFlags]?: z.output<(typeof settingFlags)[K]> } & {
  'remove-header'?: readonly string[] | undefined
}

/** Throws a `UsageError` where a header is to go that is not there, or there would be too many. */
export const changedSettings = (endpoint: Endpoint, given: GivenSettings, url: string | null): Endpoint => {
  const { filters, limits } = endpoint
  return {
    ...endpoint,
    url: url ?? endpoint.url,
    types: given.types ?? endpoint.types,
    filters: {
      senderDomains: orBefore(given['sender-domains'], filters.senderDomains),
      recipientDomains: orBefore(given['recipient-domains'], filters.recipientDomains),
      bounceCategories: orBefore(given['bounce-categories'], filters.bounceCategories),
      sources: orBefore(given.sources, filters.sources),
    },
    limits: {
      maxPerSecond: orBefore(given['max-per-second'], limits.maxPerSecond),
      maxInFlight: orBefore(given['max-in-flight'], limits.maxInFlight),
    },
    headers: changedHeaders(endpoint.headers, given),
    heartbeatEverySeconds: orBefore(given['heartbeat-every'], endpoint.heartbeatEverySeconds),
  }
}

const orBefore = <T>(given: T | undefined, before: T): T => (given === undefined ? before : given)

const changedHeaders = (before: Endpoint['headers'], given: GivenSettings): Endpoint['headers'] => {
  const removed = (given['remove-header'] ?? []).map(name => name.toLowerCase())
  const unknown = removed.filter(name => !Object.hasOwn(before, name))
  const kept = Object.entries(before).filter(([name]) => !removed.includes(name))
  const headers = checkCustomHeaders(Object.entries({ ...Object.fromEntries(kept), ...given.header }))
  const problems = [
    ...unknown.map(name => `--remove-header: there is no header ${JSON.stringify(name)}`),
    ...(headers.kind === 'invalid' ? headers.problems.map(problem => `--header: ${problem}`) : []),
  ]
  if (headers.kind === 'headers' && problems.length === 0) return headers.headers
  throw new UsageError(problems)
}
