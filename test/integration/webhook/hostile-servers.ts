import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { type HostileEndpoint, serverKey } from './hostile-endpoints.ts'

export type HostileServer = {
  port: number
  url: string
  /** Sockets accepted since the start, and open now. */
  opened(): number
  open(): number
  close(): Promise<void>
}

/** Lets one hostile endpoint listen, at 127.0.0.1 unless told. */
export const startHostile = async (
  endpoint: HostileEndpoint,
  address = '127.0.0.1',
): Promise<HostileServer> => {
  const { certificate, protocols, onSocket, scheme, host } = endpoint
  const take = (socket: Socket) => {
    socket.on('error', () => {})
    onSocket(socket)
  }
  const server =
    certificate === undefined
      ? createServer(take)
      : createTlsServer(
          { key: serverKey, cert: certificate, ...(protocols && { ALPNProtocols: protocols }) },
          take,
        ).on('tlsClientError', () => {})
  const sockets = new Set<Socket>()
  let opened = 0
  server.on('connection', (socket: Socket) => {
    opened += 1
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  })
  server.listen(0, address)
  await once(server, 'listening')
  const at = server.address()
  if (at === null || typeof at === 'string') throw new Error('no port')
  return {
    port: at.port,
    url: `${scheme}://${host}:${at.port}/hook`,
    opened: () => opened,
    open: () => sockets.size,
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
