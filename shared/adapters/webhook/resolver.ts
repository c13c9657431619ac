import { Resolver } from 'node:dns/promises'
import { AttemptFault } from './attempt-fault.ts'

/** All addresses of a host name. Rejects with an AttemptFault (`dns_failed`, `dns_not_found`, `dns_timeout`). */
export type ResolveHost = (host: string, signal: AbortSignal) => Promise<string[]>

export type SystemResolverSettings = {
  /** Of one try at one server; the next one takes longer. */
  tryTimeoutMs: number
  tries: number
  /** The other family is waited for no longer than this once one family has addresses: some servers drop AAAA. */
  secondFamilyMs: number
  /** Instead of the system's, as `127.0.0.1:53`. */
  servers?: readonly string[]
}

export const systemResolverDefaults: SystemResolverSettings = {
  tryTimeoutMs: 2_000,
  tries: 2,
  secondFamilyMs: 500,
}

/** RFC 6761, section 6.3: never asked of DNS, and c-ares does not read the hosts file here. */
const isLocalhost = (host: string): boolean => host === 'localhost' || host.endsWith('.localhost')
const loopbackAddresses = ['127.0.0.1', '::1']

const timeoutCodes = ['ETIMEOUT', 'ECANCELLED']

/** NXDOMAIN, and a name without an address of the family. */
const notFoundCodes = ['ENOTFOUND', 'ENODATA']

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : ''

/** Of two families: a name is not there only where both servers' answers say so. */
const faultOf = (errors: readonly unknown[]): AttemptFault => {
  const codes = errors.map(codeOf)
  if (codes.some(code => timeoutCodes.includes(code))) return new AttemptFault('dns_timeout')
  return new AttemptFault(codes.every(code => notFoundCodes.includes(code)) ? 'dns_not_found' : 'dns_failed')
}

/** Families by turns, so that a bound on the number of addresses leaves both. */
const byTurns = (first: readonly string[], second: readonly string[]): string[] =>
  Array.from({ length: Math.max(first.length, second.length) }, (_, index) => [first[index], second[index]])
    .flat()
    .filter(address => address !== undefined)

/**
 * Resolves with c-ares, A and AAAA at once: unlike `dns.lookup` it takes no thread of libuv's pool, so that a name
 * that is never answered delays nobody (DESIGN.md, section 6, "One attempt"). The hosts file is not read, apart from
 * `localhost` and `*.localhost`, which are loopback always.
 */
export const createSystemResolver =
  (settings: SystemResolverSettings = systemResolverDefaults): ResolveHost =>
  async (host, signal) => {
    if (isLocalhost(host)) return [...loopbackAddresses]
    // One for each lookup: `cancel` ends everything that its resolver has under way.
    const resolver = new Resolver({ timeout: settings.tryTimeoutMs, tries: settings.tries })
    if (settings.servers !== undefined) resolver.setServers(settings.servers)
    const cancel = () => resolver.cancel()
    let grace: NodeJS.Timeout | undefined
    const thenGrace = async (lookup: Promise<string[]>): Promise<string[]> => {
      const addresses = await lookup
      grace ??= setTimeout(cancel, settings.secondFamilyMs)
      return addresses
    }
    signal.addEventListener('abort', cancel, { once: true })
    const [v4, v6] = await Promise.allSettled([
      thenGrace(resolver.resolve4(host)),
      thenGrace(resolver.resolve6(host)),
    ])
    clearTimeout(grace)
    signal.removeEventListener('abort', cancel)
    const addresses = byTurns(
      v4.status === 'fulfilled' ? v4.value : [],
      v6.status === 'fulfilled' ? v6.value : [],
    )
    if (addresses.length > 0) return addresses
    throw faultOf([v4, v6].flatMap(result => (result.status === 'rejected' ? [result.reason] : [])))
  }
