import type { Socket } from 'node:net'

/** What an endpoint does with a socket that it has accepted. */
export type Speak = (socket: Socket) => void

/** After each request that has come; what comes before or after is read and forgotten. */
export const onRequest =
  (speak: Speak): Speak =>
  socket =>
    void socket.on('data', data => {
      // A record of TLS, where a handshake is expected: 22.
      if (data[0] === 22 || data.includes('POST ')) speak(socket)
    })
/** Before the request. */
export const talksFirst =
  (raw: string): Speak =>
  socket =>
    void socket.resume().write(raw)
export const says = (raw: string | Buffer): Speak => onRequest(socket => socket.write(raw, 'latin1'))
export const saysAndEnds = (raw: string): Speak => onRequest(socket => socket.end(raw, 'latin1'))
export const silent: Speak = socket => void socket.resume()

const forever = (socket: Socket, chunk: string | Buffer): void => {
  while (!socket.destroyed)
    if (!socket.write(chunk)) return void socket.once('drain', () => forever(socket, chunk))
}
export const endless = (begin: string, chunk: string | Buffer): Speak =>
  onRequest(socket => {
    socket.write(begin)
    forever(socket, chunk)
  })
/** "A byte a second", at the speed of a test whose deadlines are short. */
export const dribbles = (begin: string, piece: string, everyMs = 20): Speak =>
  onRequest(socket => {
    socket.write(begin)
    const timer = setInterval(() => socket.write(piece), everyMs)
    socket.on('close', () => clearInterval(timer))
  })
export const saysAndResets = (raw: string): Speak =>
  onRequest(socket => {
    socket.write(raw)
    // A reset may overtake what was written before it.
    const timer = setTimeout(() => socket.resetAndDestroy(), 30)
    socket.on('close', () => clearTimeout(timer))
  })
