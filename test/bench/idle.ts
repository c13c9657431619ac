import { randomBytes } from 'node:crypto'
import * as z from 'zod'
import type { Bench } from './bench.ts'
import { forkChild, startBridge } from './children.ts'
import { cpuSeconds } from './process-usage.ts'

const settleMs = 10_000
const measuredMs = 60_000

const readySchema = z.object({ url: z.string(), token: z.string(), receiver: z.string() })

/** The bridge with nothing to do but to poll two short lists every 5 s: its share of one core. */
export const idleBench: Bench = {
  name: 'idle',
  about: 'polling every 5 s with nothing new, for a minute: share of one core',
  run: async () => {
    const secret = `whsec_${randomBytes(32).toString('base64')}`
    const world = forkChild('world-child.ts', ['100', secret])
    const { url, token, receiver } = await world.first(readySchema)
    let polls = 0
    const bridge = startBridge(
      [
        ...['--source-url', url, '--token', token, '--endpoint', receiver, '--secret', secret],
        ...['--allow-private-endpoints', '--start-at', 'earliest'],
      ],
      line => {
        if (line.kind === 'poll') polls += 1
      },
    )
    try {
      await new Promise(resolve => setTimeout(resolve, settleMs))
      const before = { cpu: cpuSeconds(bridge.pid), polls, atMs: Date.now() }
      await new Promise(resolve => setTimeout(resolve, measuredMs))
      const seconds = (Date.now() - before.atMs) / 1000
      const cpu = cpuSeconds(bridge.pid) - before.cpu
      return { seconds, polls: polls - before.polls, cpuSeconds: cpu, shareOfOneCore: cpu / seconds }
    } finally {
      await bridge.stop()
      world.end()
    }
  },
}
