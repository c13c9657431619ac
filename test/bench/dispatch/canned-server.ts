import { createServer, type Server, type Socket } from 'node:net'

/** The head of a request as text, and its body. */
export type CannedAnswer = (head: string, body: Buffer) => Buffer

const headEnd = '\r\n\r\n'
const contentLength = /\r\ncontent-length: (\d+)\r\n/i
const loopback = '127.0.0.1'

/**
 * A server of HTTP/1.1 that knows no more of it than a bench needs, so that answering takes little of the core that
 * stubs and receivers share: requests have a `Content-Length` or no body, and are answered at once, in their order.
 * Listens on so many free ports of the loopback address, for as long as the process lives.
 */
export const startCannedServer = (answer: CannedAnswer, ports = 1): Promise<number[]> => {
  const serve = (socket: Socket): void => {
    let held: Buffer = Buffer.alloc(0)
    socket.setNoDelay(true)
    // Who closes or resets a connection wants nothing more of it.
    socket.on('error', () => socket.destroy())
    socket.on('data', chunk => {
      held = held.length === 0 ? chunk : Buffer.concat([held, chunk])
      for (let request = takeRequest(held); request !== null; request = takeRequest(held)) {
        held = request.rest
        socket.write(answer(request.head, request.body))
      }
    })
  }
  return Promise.all(Array.from({ length: ports }, () => listenOn(createServer(serve))))
}

type Request = { head: string; body: Buffer; rest: Buffer }

/** The first whole request of what has come; null where it is not whole yet. */
export const takeRequest = (held: Buffer): Request | null => {
  const end = held.indexOf(headEnd)
  if (end < 0) return null
  const head = held.toString('latin1', 0, end + 2)
  const from = end + headEnd.length
  const until = from + Number(contentLength.exec(head)?.[1] ?? 0)
  if (held.length < until) return null
  return { head, body: held.subarray(from, until), rest: held.subarray(until) }
}

/** An answer's bytes, made once. */
export const cannedBytes = (status: string, headers: Readonly<Record<string, string>>, body = ''): Buffer => {
  const all = body === '' ? headers : { ...headers, 'content-length': String(Buffer.byteLength(body)) }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n${body}`)
}

const listenOn = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, loopback, () => {
      const address = server.address()
      if (address === null || typeof address === 'string') reject(new Error('the server has no port'))
      else resolve(address.port)
    })
  })
