import type { Socket } from 'node:net'
import { Client } from 'undici'
import { AttemptFault } from './attempt-fault.ts'
import type { Connect, ConnectPhase } from './connector.ts'
import { type Exchange, type HttpRequest, headBytesMax, runExchange } from './exchange.ts'

/** For one request: the idle socket may be gone, but whoever closes a fresh one before the request will do so again. */
const socketsPerRequestMax = 2

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

type Present = {
  signal: AbortSignal
  sockets: number
  started: boolean
  onReadable: (socket: Socket) => void
}

/**
 * A connection is undici's Client and not a Pool's: so it is known which socket a request went out on and whether it
 * had been used before, which is what a second try depends on.
 */
export const createConnection = (settings: ConnectionSettings): Connection => {
  const { origin, connect, keepAliveMs, now } = settings
  let openedAtMs = now()
  let requestsOnSocket = 0
  let phase: ConnectPhase | 'answer' = 'dns'
  let present: Present | null = null

  const open = async (options: Parameters<Connect>[0]['options']): Promise<Socket> => {
    if (present === null) throw new AttemptFault('connection_failed')
    present.sockets += 1
    present.started = false
    // An answer before there is a request makes undici connect anew, for ever.
    if (present.sockets > socketsPerRequestMax) throw new AttemptFault('invalid_response')
    const { signal } = present
    const socket = await connect({ options, signal, onPhase: next => (phase = next) })
    phase = 'answer'
    requestsOnSocket = 0
    openedAtMs = now()
    // Before undici's own listener, which empties the buffer. What comes before the request is undici's to refuse: it
    // may be left of the answer before.
    socket.on('readable', () => {
      if (present?.started === true) present.onReadable(socket)
    })
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
          phase: () => phase,
          onReadableTo: onReadable => {
            present = { signal, sockets: 0, started: false, onReadable }
          },
          onStart: () => {
            requestsOnSocket += 1
            if (present !== null) present.started = true
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
