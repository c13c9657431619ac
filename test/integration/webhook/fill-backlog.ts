import { connect, type Socket } from 'node:net'

/** A connection on loopback that is not there after this will not be. */
const establishedMs = 200
/** Linux takes one more than the backlog says; a few more are for good measure. */
const connectionsMax = 16

const isTaken = (socket: Socket): Promise<boolean> =>
  new Promise(resolve => {
    const timer = setTimeout(() => resolve(false), establishedMs)
    socket.once('connect', () => {
      clearTimeout(timer)
      resolve(true)
    })
  })

/** Connects to a server that accepts nobody until its backlog is full; gives what undoes it. */
export const fillBacklog = async (port: number, host: string): Promise<() => void> => {
  const sockets: Socket[] = []
  for (let at = 0; at < connectionsMax; at += 1) {
    const socket = connect(port, host)
    socket.on('error', () => {})
    sockets.push(socket)
    if (!(await isTaken(socket))) return () => sockets.forEach(each => void each.destroy())
  }
  throw new Error('the backlog never fills')
}
