import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import {
  createFeedbackClient,
  type FeedbackClient,
  type FeedbackClientOptions,
} from '../../../shared/adapters/feedback-api/client.ts'

export const token = 'Zq7-secret-token-of-the-source'
export const atMs = Date.UTC(2026, 10, 20, 9, 30, 0)

export type Service = AsyncDisposable & {
  baseUrl: string
  /** What was asked, in order. */
  requests: { method: string; url: string; headers: IncomingMessage['headers'] }[]
  sockets: Set<Socket>
  clients: number
}

/** A service of the test's own on loopback, which answers as `answer` does. */
export async function startService(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Service> {
  const requests: Service['requests'] = []
  const sockets = new Set<Socket>()
  const server = createServer((request, response) => {
    requests.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers })
    answer(request, response)
  })
  const service = { requests, sockets, clients: 0 }
  server.on('connection', socket => {
    service.clients++
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return Object.assign(service, {
    baseUrl: `http://127.0.0.1:${address.port}`,
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise(resolve => server.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  })
}

export function clientOf(
  baseUrl: string,
  options: Partial<FeedbackClientOptions> = {},
): FeedbackClient & AsyncDisposable {
  const client = createFeedbackClient({
    baseUrl,
    pathPrefix: '/api/v2',
    authScheme: 'Token',
    token: async () => token,
    includeSoft: false,
    pageSize: null,
    now: () => atMs,
    ...options,
  })
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() })
}

export const first = { stream: 'bounces', order: 'asc', lastId: null, nextQuery: null } as const

/** What a call was refused with; a call that was not refused is a failure of the test. */
export async function refusalOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => {
      throw new Error('the call was not refused')
    },
    error => error,
  )
}
