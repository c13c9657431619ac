import { AttemptFault } from './attempt-fault.ts'
import { type Connection, createConnection } from './connection.ts'
import type { Connect } from './connector.ts'

export type PoolLimits = {
  /** Open at the same time to one origin; who comes later waits, within its deadline. */
  connectionsPerOriginMax: number
  /** Kept open for later over all origins; beyond it the one that has idled longest is closed. */
  idleConnectionsMax: number
  /** An idle connection is closed after this; less where the endpoint asks for less. */
  keepAliveMs: number
  /** An older connection is not used again, so that a change in DNS is followed. */
  connectionAgeMaxMs: number
}

export const poolLimitDefaults: PoolLimits = {
  connectionsPerOriginMax: 64,
  idleConnectionsMax: 256,
  keepAliveMs: 15_000,
  connectionAgeMaxMs: 300_000,
}

export type ConnectionPool = {
  /** A connection for one attempt; `fresh` has no socket yet. Rejects with an AttemptFault (`connections_busy`). */
  acquire(wish: { origin: string; fresh: boolean; signal: AbortSignal }): Promise<Connection>
  /** Gives it back; one that is not reusable is closed. */
  release(connection: Connection, reusable: boolean): void
  /** Closes the idle ones, once every one was given back; resolves when all sockets are closed. */
  close(): Promise<void>
}

type Waiter = { fresh: boolean; give: (connection: Connection) => void }
type Origin = { open: number; idle: Connection[]; waiters: Waiter[] }

/**
 * Keep-alive connections by origin, bounded for each and over all (invariants 8 and 9): an origin that is slow takes
 * no connection from another one.
 */
export const createConnectionPool = (
  settings: PoolLimits & { connect: Connect; now: () => number },
): ConnectionPool => {
  const { connect, now, keepAliveMs } = settings
  const origins = new Map<string, Origin>()
  /** Longest idle first. */
  const idle = new Set<Connection>()
  const closing = new Set<Promise<void>>()

  const originOf = (name: string): Origin => {
    const known = origins.get(name)
    if (known !== undefined) return known
    const origin: Origin = { open: 0, idle: [], waiters: [] }
    origins.set(name, origin)
    return origin
  }

  const destroy = (connection: Connection) => {
    const closed = connection.destroy().finally(() => closing.delete(closed))
    closing.add(closed)
  }

  const open = (name: string, origin: Origin): Connection => {
    origin.open += 1
    return createConnection({ origin: name, connect, keepAliveMs, now, onDisconnect: forgetIdle })
  }

  const takeIdle = (origin: Origin, connection: Connection | undefined): Connection | undefined => {
    if (connection === undefined) return undefined
    idle.delete(connection)
    origin.idle = origin.idle.filter(other => other !== connection)
    return connection
  }

  /** Closes one for good; what it leaves goes to whoever waits. */
  const discard = (name: string, origin: Origin, connection: Connection) => {
    destroy(connection)
    origin.open -= 1
    const next = origin.waiters.shift()
    if (next !== undefined) next.give(open(name, origin))
    else if (origin.open === 0) origins.delete(name)
  }

  const forgetIdle = (connection: Connection) => {
    // In use: the attempt sees for itself, and gives it back.
    if (!idle.has(connection)) return
    const origin = originOf(connection.origin)
    takeIdle(origin, connection)
    discard(connection.origin, origin, connection)
  }

  const wait = (origin: Origin, wish: { fresh: boolean; signal: AbortSignal }): Promise<Connection> =>
    new Promise((resolve, reject) => {
      const giveUp = () => {
        origin.waiters = origin.waiters.filter(other => other !== waiter)
        reject(new AttemptFault('connections_busy'))
      }
      const waiter: Waiter = {
        fresh: wish.fresh,
        give: connection => {
          wish.signal.removeEventListener('abort', giveUp)
          resolve(connection)
        },
      }
      origin.waiters.push(waiter)
      wish.signal.addEventListener('abort', giveUp, { once: true })
    })

  return {
    acquire: async wish => {
      const origin = originOf(wish.origin)
      // The last one used is the least likely to have been closed meanwhile.
      const idler = wish.fresh ? undefined : takeIdle(origin, origin.idle.at(-1))
      if (idler !== undefined) return idler
      if (origin.open < settings.connectionsPerOriginMax) return open(wish.origin, origin)
      const inTheWay = takeIdle(origin, origin.idle[0])
      if (inTheWay === undefined) return await wait(origin, wish)
      origin.open -= 1
      destroy(inTheWay)
      return open(wish.origin, origin)
    },
    release: (connection, reusable) => {
      const name = connection.origin
      const origin = originOf(name)
      const young = now() - connection.openedAtMs < settings.connectionAgeMaxMs
      const [next] = origin.waiters
      if (!reusable || !young || next?.fresh === true) return discard(name, origin, connection)
      if (next !== undefined) {
        origin.waiters.shift()
        return next.give(connection)
      }
      origin.idle.push(connection)
      idle.add(connection)
      for (const oldest of idle) {
        if (idle.size <= settings.idleConnectionsMax) break
        forgetIdle(oldest)
      }
    },
    close: async () => {
      for (const connection of idle) forgetIdle(connection)
      await Promise.all(closing)
    },
  }
}
