import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createNetServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type TLSSocket } from 'node:tls'
import { onTestFinished } from 'vitest'
import type { WebhookRequest } from '../../../shared/domain/delivery/webhook-sender.ts'

const tlsFile = (name: string) => readFileSync(new URL(`./tls/${name}`, import.meta.url), 'utf8')
export const testCertificate = tlsFile('test-only.cert.pem')
const testKey = tlsFile('test-only.key.pem')

/** A receiver that counts its sockets; it is closed when the test ends. */
export type Receiver = {
  port: number
  url: string
  /** Sockets accepted since the start. */
  opened(): number
  /** Sockets open now. */
  open(): number
}

const start = async (server: Server): Promise<Receiver> => {
  let opened = 0
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    opened += 1
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {})
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    const closed = once(server, 'close')
    server.close()
    for (const socket of sockets) socket.destroy()
    await closed
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const { port } = address
  return { port, url: `http://127.0.0.1:${port}/hook`, opened: () => opened, open: () => sockets.size }
}

export const startHttp = (
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Receiver> => start(createHttpServer(handle))

/** Speaks whatever the test wants: called for each socket, counted from 1. */
export const startRaw = (onSocket: (socket: Socket, number: number) => void): Promise<Receiver> => {
  let sockets = 0
  return start(
    createNetServer(socket => {
      sockets += 1
      onSocket(socket, sockets)
    }),
  )
}

export const startTls = (onSocket: (socket: TLSSocket) => void): Promise<Receiver> => {
  const server = createTlsServer({ key: testKey, cert: testCertificate, ALPNProtocols: ['h2', 'http/1.1'] })
  server.on('secureConnection', socket => {
    socket.on('error', () => {})
    onSocket(socket)
  })
  server.on('tlsClientError', () => {})
  return start(server)
}

/** Writes `answer` for every request that comes in whole on this socket. */
export const answerEach = (socket: Socket, answer: string) => {
  socket.on('data', data => {
    if (data.includes('POST ')) socket.write(answer)
  })
}

export const noContent = 'HTTP/1.1 204 No Content\r\n\r\n'

export const postTo = (url: string, deadlineMs = 5_000): WebhookRequest => ({
  endpoint: { id: 'ep', url },
  headers: { 'webhook-id': 'evt_1' },
  body: '{"id":"evt_1"}',
  deadlineMs,
})
