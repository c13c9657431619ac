import { isIP, type LookupFunction, type Socket } from 'node:net'
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls'
import { buildConnector } from 'undici'
import { addressVerdict } from '../../domain/endpoint/address-guard.ts'
import { AttemptFault, connectFailure } from './attempt-fault.ts'
import type { ResolveHost } from './resolver.ts'

/** Of a host's addresses, as many are tried at most. */
export const addressesMax = 8

/** An address that does not answer makes way for the next one after this; the last one has until the deadline. */
const addressAttemptMs = 1_500

export type ConnectTarget = {
  options: buildConnector.Options
  /** The attempt's deadline; it must not be aborted once the attempt is over. */
  signal: AbortSignal
  onResolved: () => void
}

/** Opens a socket to a checked address. Rejects with an AttemptFault. */
export type Connect = (target: ConnectTarget) => Promise<Socket>

type ConnectorSettings = {
  resolve: ResolveHost
  allowPrivate: boolean
  /** PEM, trusted beside the default authorities. */
  caCertificates: readonly string[]
}

const secureContextOf = (caCertificates: readonly string[]): SecureContext =>
  caCertificates.length === 0
    ? createSecureContext()
    : createSecureContext({ ca: [...getCACertificates('default'), ...caCertificates] })

/** Answers with the checked addresses, whatever DNS may say by now. */
const pinned =
  (addresses: readonly string[]): LookupFunction =>
  (_host, options, callback) => {
    const all = addresses.map(address => ({ address, family: isIP(address) }))
    const [first] = all
    if (options.all === true) callback(null, all)
    else callback(null, first?.address ?? '', first?.family)
  }

/**
 * Connects to checked addresses only (DESIGN.md, section 6, "One attempt"). One address that is refused refuses the
 * host: a public name with a private address is an attack or a mistake, and which of them `connect` would take is
 * chance. Certificates are verified always; HTTP/1.1 only.
 */
export const createConnector = (settings: ConnectorSettings): Connect => {
  const { resolve, allowPrivate } = settings
  const secureContext = secureContextOf(settings.caCertificates)

  const checkedAddresses = async (host: string, signal: AbortSignal): Promise<string[]> => {
    // A literal never comes to a custom lookup, so it is checked here, before there is a socket.
    const addresses = isIP(host) === 0 ? await resolve(host, signal) : [host]
    if (addresses.length === 0) throw new AttemptFault('dns_failed')
    for (const address of addresses) {
      if (isIP(address) === 0 || !addressVerdict(address, { allowPrivate }).allowed) {
        throw new AttemptFault('address_refused')
      }
    }
    return addresses.slice(0, addressesMax)
  }

  return async ({ options, signal, onResolved }) => {
    const addresses = await checkedAddresses(options.hostname, signal)
    onResolved()
    if (signal.aborted) throw new AttemptFault('timeout')
    const connect = buildConnector({
      allowH2: false,
      maxCachedSessions: 0,
      // The deadline's signal covers connecting and the TLS handshake.
      timeout: 0,
      signal,
      secureContext,
      rejectUnauthorized: true,
      lookup: pinned(addresses),
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: addressAttemptMs,
    })
    return await new Promise((resolve, reject) => {
      connect(options, (error, socket) => {
        if (error === null) resolve(socket)
        else reject(new AttemptFault(connectFailure(error, options.protocol)))
      })
    })
  }
}
