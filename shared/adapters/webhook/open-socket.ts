import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls, type SecureContext } from 'node:tls'
import { AttemptFault, connectFailure, tlsFailure } from './attempt-fault.ts'

/**
 * An address that has not answered makes room for a try of the next one beside it after this (RFC 8305, section 5: 250 ms
 * are recommended), so that dead addresses cost a live one little of the deadline.
 */
export const nextAddressMs = 250

/** Of the system, so that a peer that is gone is noticed in the end. */
const keepAliveProbeMs = 60_000

type Tcp = { addresses: readonly string[]; port: number; signal: AbortSignal }

/**
 * Connects to the first of these addresses that answers; the other tries end with it. Rejects with an AttemptFault where
 * none does, or the signal is aborted.
 */
export const openTcp = ({ addresses, port, signal }: Tcp): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const trying = new Set<Socket>()
    const errors: Error[] = []
    const left = [...addresses]
    let timer: NodeJS.Timeout | undefined

    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', giveUp)
      for (const socket of trying) socket.destroy()
    }
    const giveUp = () => {
      end()
      reject(new AttemptFault('connect_timeout'))
    }
    const tryNext = () => {
      clearTimeout(timer)
      const host = left.shift()
      if (host === undefined) {
        if (trying.size > 0) return
        end()
        return reject(new AttemptFault(connectFailure(errors)))
      }
      const socket = connect({
        host,
        port,
        noDelay: true,
        keepAlive: true,
        keepAliveInitialDelay: keepAliveProbeMs,
      })
      trying.add(socket)
      socket.once('connect', () => {
        trying.delete(socket)
        end()
        resolve(socket)
      })
      // Stays with the socket: whoever takes it over has listeners of its own, but not in the same tick.
      socket.on('error', error => {
        if (!trying.delete(socket)) return
        errors.push(error)
        tryNext()
      })
      if (left.length > 0) timer = setTimeout(tryNext, nextAddressMs)
    }
    if (signal.aborted) return reject(new AttemptFault('connect_timeout'))
    signal.addEventListener('abort', giveUp, { once: true })
    tryNext()
  })

type Tls = { socket: Socket; host: string; secureContext: SecureContext; signal: AbortSignal }

/**
 * TLS over a connected socket, verified against `host`; HTTP/1.1 is all that is offered. Rejects with an AttemptFault,
 * and closes the socket then.
 */
export const openTls = ({ socket, host, secureContext, signal }: Tls): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const secure = connectTls({
      socket,
      host,
      // An address is no server name (RFC 6066, section 3).
      servername: isIP(host) === 0 ? host : '',
      secureContext,
      rejectUnauthorized: true,
      ALPNProtocols: ['http/1.1'],
    })
    const fail = (fault: AttemptFault) => {
      signal.removeEventListener('abort', giveUp)
      secure.destroy()
      socket.destroy()
      reject(fault)
    }
    const giveUp = () => fail(new AttemptFault('tls_timeout'))
    const onClose = () => fail(new AttemptFault('tls_reset'))
    secure.once('secureConnect', () => {
      signal.removeEventListener('abort', giveUp)
      secure.off('close', onClose)
      resolve(secure)
    })
    secure.on('error', error => fail(new AttemptFault(tlsFailure(error))))
    secure.once('close', onClose)
    if (signal.aborted) return giveUp()
    signal.addEventListener('abort', giveUp, { once: true })
  })
