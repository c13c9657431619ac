import { isIP, type Socket } from 'node:net'
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls'
import type { buildConnector } from 'undici'
import { addressVerdict } from '../../domain/endpoint/address-guard.ts'
import { AttemptFault } from './attempt-fault.ts'
import { openTcp, openTls } from './open-socket.ts'
import type { ResolveHost } from './resolver.ts'

/** Of a host's addresses, as many are tried at most. */
export const addressesMax = 8

/** What an attempt waits for before its request is on its way. */
export type ConnectPhase = 'dns' | 'connect' | 'tls'

export type ConnectTarget = {
  options: buildConnector.Options
  /** The attempt's deadline; once it is over, it is heeded no more. */
  signal: AbortSignal
  onPhase: (phase: ConnectPhase) => void
}

/** Opens a socket to a checked address. Rejects with an AttemptFault. */
export type Connect = (target: ConnectTarget) => Promise<Socket>

type ConnectorSettings = {
  resolve: ResolveHost
  allowPrivate: boolean
  /** PEM, trusted beside the default authorities. */
  caCertificates: readonly string[]
  random: () => number
}

const secureContextOf = (caCertificates: readonly string[]): SecureContext =>
  caCertificates.length === 0
    ? createSecureContext()
    : createSecureContext({ ca: [...getCACertificates('default'), ...caCertificates] })

/** Where there are too many, it begins anywhere: an attempt may find the live ones that the last one did not come to. */
const someOf = (addresses: readonly string[], random: () => number): string[] => {
  if (addresses.length <= addressesMax) return [...addresses]
  const first = Math.floor(random() * addresses.length)
  return [...addresses.slice(first), ...addresses.slice(0, first)].slice(0, addressesMax)
}

/**
 * Connects to checked addresses only (DESIGN.md, section 6, "One attempt"): they are connected to as they are, whatever
 * DNS may say by now. One address that is refused refuses the host: a public name with a private address is an attack or
 * a mistake, and which of them would be taken is chance. Certificates are verified always.
 *
 * undici's own connector does not tell the phases apart, and tries the addresses one after the other.
 */
export const createConnector = (settings: ConnectorSettings): Connect => {
  const { resolve, allowPrivate } = settings
  const secureContext = secureContextOf(settings.caCertificates)

  const checkedAddresses = async (host: string, signal: AbortSignal): Promise<string[]> => {
    const addresses = isIP(host) === 0 ? await resolve(host, signal) : [host]
    if (addresses.length === 0) throw new AttemptFault('dns_not_found')
    for (const address of addresses) {
      if (isIP(address) === 0 || !addressVerdict(address, { allowPrivate }).allowed) {
        throw new AttemptFault('address_refused')
      }
    }
    return someOf(addresses, settings.random)
  }

  return async ({ options, signal, onPhase }) => {
    const { hostname: host, protocol } = options
    onPhase('dns')
    const addresses = await checkedAddresses(host, signal)
    onPhase('connect')
    const port = Number(options.port || (protocol === 'https:' ? 443 : 80))
    const socket = await openTcp({ addresses, port, signal })
    if (protocol !== 'https:') return socket
    onPhase('tls')
    return await openTls({ socket, host, secureContext, signal })
  }
}
