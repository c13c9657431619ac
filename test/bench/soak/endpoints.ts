import type { IncomingMessage, ServerResponse } from 'node:http'
import { createRandom } from '../isolation/seeded-random.ts'

export type EndpointCounts = { posts: number; failed: number; distinct: number }

/** What befalls a POST. `later`: a 204 after so long. */
type Fate = { kind: 'status'; status: number; afterMs: number } | { kind: 'reset' }

const taken: Fate = { kind: 'status', status: 204, afterMs: 0 }
const refusedWith = (status: number): Fate => ({ kind: 'status', status, afterMs: 0 })

/** A slow answer makes its endpoint's lane the slow one; one in a hundred, so that the lane keeps up with the load. */
const slow = { usualMs: 400, longMs: 4_000, longShare: 0.01 }
/** Of the run: the middle, so that neither its first nor its last third has it. */
const down = { fromShare: 0.35, untilShare: 0.5, msMax: 120_000 }

/** Endpoints by their names: two that are good, and one of each kind that is not. */
export const createEndpoints = (runMs: number) => {
  const random = createRandom(7)
  const startedMs = Date.now()
  const downFromMs = startedMs + runMs * down.fromShare
  const downUntilMs = Math.min(downFromMs + down.msMax, startedMs + runMs * down.untilShare)
  const fates: Readonly<Record<string, () => Fate>> = {
    'good-1': () => taken,
    'good-2': () => taken,
    // Not so often that the breaker keeps it apart for good.
    failing: () => {
      const draw = random()
      return draw < 0.1 ? refusedWith(500) : draw < 0.15 ? refusedWith(429) : taken
    },
    slow: () => ({
      kind: 'status',
      status: 204,
      afterMs: random() < slow.longShare ? slow.longMs : slow.usualMs,
    }),
    resetting: () => (random() < 0.1 ? { kind: 'reset' } : taken),
    'down-for-a-time': () => {
      const nowMs = Date.now()
      return nowMs >= downFromMs && nowMs < downUntilMs ? { kind: 'reset' } : taken
    },
  }
  const seen = new Map(
    Object.keys(fates).map(name => [name, { posts: 0, failed: 0, ids: new Set<string>() }]),
  )

  return {
    names: Object.keys(fates),
    answer: (name: string, id: string, request: IncomingMessage, response: ServerResponse): void => {
      const [fate, of] = [fates[name]?.(), seen.get(name)]
      if (fate === undefined || of === undefined) throw new Error(`there is no endpoint ${name}`)
      of.posts += 1
      if (fate.kind === 'reset') {
        of.failed += 1
        request.socket.resetAndDestroy()
        return
      }
      if (fate.status >= 300) of.failed += 1
      else of.ids.add(id)
      setTimeout(() => response.writeHead(fate.status).end(), fate.afterMs)
    },
    counts: (): Record<string, EndpointCounts> =>
      Object.fromEntries(
        [...seen].map(([name, { posts, failed, ids }]) => [name, { posts, failed, distinct: ids.size }]),
      ),
  }
}
