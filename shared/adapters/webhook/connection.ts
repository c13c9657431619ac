import type { Socket } from 'node:net'
import { Client } from 'undici'
import { AttemptFault } from './attempt-fault.ts'
import type { Connect } from './connector.ts'
import { type Exchange, type HttpRequest, headBytesMax, runExchange } from './exchange.ts'

/** One HTTP/1.1 connection to an origin, used by one attempt at a time. */
export type Connection = {
  readonly origin: string
  /** When its present socket was opened: Unix milliseconds. */
  readonly openedAtMs: number
  /** Never rejects but for a fault of ours. */
  post(request: HttpRequest, signal: AbortSignal): Promise<Exchange>
  /** Closes it at once; resolves when the socket is closed. */
  destroy(): Promise<void>
}

type ConnectionSettings = {
  origin: string
  connect: Connect
  keepAliveMs: number
  now: () => number
  /** Its socket was closed, by the endpoint or for idling. */
  onDisconnect: (connection: Connection) => void
}

type Present = { signal: AbortSignal; onBytes: (bytes: number) => void }

/**
 * A connection is undici's Client and not a Pool's: so it is known which socket a request went out on and whether it
 * had been used before, which is what a second try depends on.
 */
export const createConnection = (settings: ConnectionSettings): Connection => {
  const { origin, connect, keepAliveMs, now } = settings
  let openedAtMs = now()
  let requestsOnSocket = 0
  let resolving = false
  let present: Present | null = null

  const open = async (options: Parameters<Connect>[0]['options']): Promise<Socket> => {
    if (present === null) throw new AttemptFault('connection_failed')
    resolving = true
    const { signal } = present
    const socket = await connect({ options, signal, onResolved: () => (resolving = false) })
    resolving = false
    requestsOnSocket = 0
    openedAtMs = now()
    // Before undici's own listener, which empties the buffer.
    socket.on('readable', () => present?.onBytes(socket.readableLength))
    return socket
  }

  const client = new Client(origin, {
    connect: (options, callback) => {
      open(options).then(
        socket => callback(null, socket),
        error => callback(error instanceof Error ? error : new AttemptFault('connection_failed'), null),
      )
    },
    allowH2: false,
    pipelining: 1,
    maxHeaderSize: headBytesMax,
    // The attempt's one deadline covers these.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: keepAliveMs,
  })

  const connection: Connection = {
    origin,
    get openedAtMs() {
      return openedAtMs
    },
    post: async (request, signal) => {
      try {
        return await runExchange({
          client,
          request,
          signal,
          isResolving: () => resolving,
          onBytesTo: onBytes => {
            present = { signal, onBytes }
          },
          onStart: () => {
            requestsOnSocket += 1
            return { reused: requestsOnSocket > 1 }
          },
        })
      } finally {
        present = null
      }
    },
    destroy: () => client.destroy(),
  }
  client.on('disconnect', () => settings.onDisconnect(connection))
  return connection
}
