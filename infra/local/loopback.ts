import type { Server } from 'node:http'

const loopback = '127.0.0.1'

/** Listens on a free port of the loopback address; returns the URL. */
export const listen = (server: Server): Promise<string> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, loopback, () => {
      server.off('error', reject)
      const address = server.address()
      if (address === null || typeof address === 'string') reject(new Error('the server has no port'))
      else resolve(`http://${loopback}:${address.port}`)
    })
  })

/** Closes the server once the requests under way are answered; connections kept alive are closed at once. */
export const close = (server: Server): Promise<void> =>
  new Promise((resolve, reject) => {
    server.close(error => (error ? reject(error) : resolve()))
    server.closeIdleConnections()
  })
