import { setTimeout as wait } from 'node:timers/promises'
import * as z from 'zod'
import { endpointId } from '../../../infra/local/endpoint-id.ts'
import type { Figures } from '../bench.ts'
import { forkChild, startBridge } from '../children.ts'
import { percentile } from './percentiles.ts'

/** Each run lasts so long from its first delivery; with starting and stopping, both take less than four minutes. */
const measuredMs = 80_000
const startedWithinMs = 30_000
/** Records a second; each endpoint gets them all. */
const recordsPerSecond = 4

const readySchema = z.object({ url: z.string(), token: z.string(), receivers: z.string() })
const deliveredSchema = z.looseObject({
  kind: z.literal('delivered'),
  endpoint: z.string(),
  ageMs: z.number(),
})

/** The bridge as a user starts it, over real sockets: without the two that misbehave, then with them. */
export const localTable = async (endpoints: number): Promise<Figures> => {
  const good = Array.from({ length: endpoints - 2 }, (_, at) => `/quick-${at}`)
  const without = await runLocal(good, [])
  const withThem = await runLocal(good, ['/never', '/late'])
  const baseP99 = percentile(without, 0.99)
  const row = (ages: readonly number[]): Figures => ({
    deliveries: ages.length,
    p50: percentile(ages, 0.5) / 1_000,
    p99: percentile(ages, 0.99) / 1_000,
    max: percentile(ages, 1) / 1_000,
    '×': percentile(ages, 0.99) / baseP99,
  })
  return { 'without the two': row(without), 'with them': row(withThem) }
}

/** Event ages at the good endpoints, in milliseconds. */
const runLocal = async (good: readonly string[], bad: readonly string[]): Promise<number[]> => {
  const world = forkChild('isolation/receivers-child.ts', [String(recordsPerSecond)])
  try {
    const { url, token, receivers } = await world.first(readySchema)
    const goodIds = new Set(good.map(path => endpointId(`${receivers}${path}`)))
    const ages: number[] = []
    const begun = Promise.withResolvers<void>()
    const bridge = startBridge(
      [
        ...['--source-url', url, '--token', token, '--allow-private-endpoints', '--include-soft'],
        ...[...good, ...bad].flatMap(path => ['--endpoint', `${receivers}${path}`]),
      ],
      line => {
        const { data } = deliveredSchema.safeParse(line)
        if (data === undefined || !goodIds.has(data.endpoint)) return
        ages.push(data.ageMs)
        begun.resolve()
      },
    )
    try {
      const late = wait(startedWithinMs).then(() => {
        if (ages.length === 0) throw new Error(`nothing was delivered:\n${bridge.complaints()}`)
      })
      await Promise.race([begun.promise, late])
      await wait(measuredMs)
      return [...ages]
    } finally {
      await bridge.stop()
    }
  } finally {
    world.end()
  }
}
