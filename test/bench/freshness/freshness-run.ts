import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { forkChild, startBridge } from '../children.ts'
import { type FreshnessFigures, freshnessFigures } from './freshness-figures.ts'
import { type WorldSettings, worldReadySchema, worldReportSchema } from './world-messages.ts'

export type FreshnessCase = {
  /** Records a second, of both lists together. */
  rate: number
  pollEverySeconds: number
  pageSize: number
  measuredMs: number
}

/** As the service's limit is specified; the bridge spends 80 % of it. */
const requestsPerMinute = 60
const firstArrivalWithinMs = 120_000
/** From the first arrival on: reading what was there before is not measured. */
const warmUpMs = 12_000
/** After the last measured record, beside a poll's interval: what it takes to be read and delivered. */
const drainMs = 8_000

/** One bridge as a user starts it, and its world, by the clock on the wall. */
export const runFreshness = async (of: FreshnessCase): Promise<FreshnessFigures> => {
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  const settings: WorldSettings = {
    ...{ secret, rate: of.rate, backlog: 0, rateLimit: requestsPerMinute },
    ...{ answerAfterMs: 0, tellsRecords: true },
  }
  const world = forkChild('freshness/world-child.ts', [JSON.stringify(settings)])
  try {
    const { url, token, receiver } = await world.first(worldReadySchema)
    const begun = Promise.withResolvers<void>()
    const bridge = startBridge(
      [
        ...['--source-url', url, '--token', token, '--endpoint', receiver, '--secret', secret],
        ...['--allow-private-endpoints', '--include-soft', '--start-at', 'earliest'],
        ...['--poll-every', String(of.pollEverySeconds), '--page-size', String(of.pageSize)],
      ],
      ({ kind }) => {
        if (kind === 'delivered') begun.resolve()
      },
    )
    try {
      const inTime = new AbortController()
      const tooLate = wait(firstArrivalWithinMs, undefined, { signal: inTime.signal }).then(() => {
        throw new Error(`nothing was delivered:\n${bridge.complaints()}`)
      })
      await Promise.race([begun.promise, tooLate])
      tooLate.catch(() => {})
      inTime.abort()
      await wait(warmUpMs)
      const fromMs = Date.now()
      await wait(of.measuredMs)
      const untilMs = Date.now()
      await wait(of.pollEverySeconds * 1_000 + drainMs)
      const report = await world.ask(worldReportSchema)
      return freshnessFigures(report, { fromMs, untilMs }, Date.now())
    } finally {
      await bridge.stop()
    }
  } finally {
    world.end()
  }
}
