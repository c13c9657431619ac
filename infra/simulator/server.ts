import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { Outcome } from './faults.ts'
import type { SimulatorRequest } from './request-handler.ts'
import { createSimulator, type Simulator, type SimulatorSetup } from './simulator.ts'

/** How long a `slow` answer takes, and in how many pieces it comes. */
const slowMs = 3000
const slowPieces = 10

export type RunningSimulator = Simulator & {
  /** Scheme, host and port, without a slash at the end; the path prefix stands apart. */
  url: string
  port: number
  token: string
  contactsToken: string
  pathPrefix: string
  /** Ends every connection, those that were left hanging too. May be called again. */
  close(): Promise<void>
}

/** Serves a simulator over HTTP; port 0 (the default) is any free one. Rejects where it cannot listen. */
export const startSimulator = async (
  setup: SimulatorSetup & { host?: string; port?: number } = {},
): Promise<RunningSimulator> => {
  const { host = '127.0.0.1', port = 0, ...simulatorSetup } = setup
  const simulator = createSimulator(simulatorSetup)
  const server = createServer((message, response) => {
    serve(simulator, message, response).catch((error: unknown) => {
      // The caller sees a 500, a person the reason: it is a fault of the simulator, or of an intercept.
      console.error('simulator:', error)
      if (response.headersSent) response.destroy()
      else response.writeHead(500).end()
    })
  })
  const address = await listen(server, host, port)
  const { token, contactsToken, pathPrefix } = simulator.options
  const shownHost = address.family === 'IPv6' ? `[${address.address}]` : address.address
  let closing: Promise<void> | null = null
  const close = (): Promise<void> => {
    closing ??= new Promise(resolve => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
    return closing
  }
  return withServer(simulator, {
    url: `http://${shownHost}:${address.port}`,
    port: address.port,
    token,
    contactsToken: contactsToken ?? token,
    pathPrefix,
    close,
  })
}

/** The simulator's own getters stay live. */
const withServer = <Extra extends object>(simulator: Simulator, extra: Extra): Simulator & Extra => {
  const { handle, add, forgetId, expire, setOption, setIntercept, records, requests, startMs } = simulator
  return {
    ...extra,
    handle,
    add,
    forgetId,
    expire,
    setOption,
    setIntercept,
    records,
    requests,
    startMs,
    get options() {
      return simulator.options
    },
    get requestCount() {
      return simulator.requestCount
    },
  }
}

const listen = (server: Server, host: string, port: number): Promise<AddressInfo> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.removeListener('error', reject)
      const address = server.address()
      if (address === null || typeof address === 'string') reject(new Error('the server has no port'))
      else resolve(address)
    })
  })

const toRequest = (message: IncomingMessage): SimulatorRequest => {
  const url = message.url ?? '/'
  const mark = url.indexOf('?')
  const headers: Record<string, string | undefined> = {}
  for (const [name, value] of Object.entries(message.headers)) {
    headers[name] = Array.isArray(value) ? value.join(', ') : value
  }
  return {
    method: message.method ?? 'GET',
    path: mark < 0 ? url : url.slice(0, mark),
    query: mark < 0 ? '' : url.slice(mark + 1),
    headers,
    host: message.headers.host ?? 'localhost',
  }
}

const serve = async (
  simulator: Simulator,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  message.resume()
  const outcome = await simulator.handle(toRequest(message))
  if (outcome.transport === 'timeout') return
  if (outcome.transport === 'reset') {
    message.socket.resetAndDestroy()
    return
  }
  await send(outcome, response)
}

const send = async ({ answer, transport }: Outcome, response: ServerResponse): Promise<void> => {
  const bytes = Buffer.from(answer.body)
  // `Date` is the simulator's own clock's, or none.
  response.sendDate = false
  response.writeHead(answer.status, { ...answer.headers, 'content-length': bytes.length })
  if (transport === 'truncated') {
    response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => response.destroy())
    return
  }
  if (transport === 'slow') {
    response.flushHeaders()
    const step = Math.ceil(bytes.length / slowPieces)
    for (let at = 0; at < bytes.length && !response.destroyed; at += step) {
      await delay(slowMs / slowPieces)
      response.write(bytes.subarray(at, at + step))
    }
  }
  response.end(transport === 'slow' ? undefined : bytes)
}
