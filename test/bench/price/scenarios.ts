import { hourMs, minuteMs } from '../../../shared/domain/time-units.ts'
import { type BridgeSettings, type CountedBridge, startCountedBridge } from './counted-bridge.ts'
import { startPoller, startReleaser } from './counted-functions.ts'
import { shortRun, startOverlappingPollers, startShortPollers, usageOf } from './run-pollers.ts'
import { minus, plus, times, type Usage } from './usage.ts'

/** What everything of the counted kind has in common. */
const usual = {
  ...{ speed: 10, endpoints: 1, status: 204, breakerStaysClosed: false },
  ...{ pollEverySeconds: 5, backlog: 0, records: 0, rate: 0 },
}

export type Running = {
  used: Usage
  /** Messages that were dispatched. */
  messages: number
  /** Of the poller's, where its runs last. */
  lastingSeconds: number
  /** Custom metrics that were published meanwhile: CloudWatch bills them by the hour. */
  metrics: number
}

/**
 * The bridge for so many minutes of its clock, after `warmUpMinutes` that are not counted: poller, dispatcher with
 * batches of this size, releaser.
 */
export const countMinutes = async (
  of: Partial<BridgeSettings> & { minutes: number; warmUpMinutes?: number; batchSize?: number },
): Promise<Running> => {
  const settings = { ...usual, ...of }
  const { minutes, warmUpMinutes = 0, batchSize = 10 } = of
  const bridge = await startCountedBridge(settings)
  const start = settings.pollEverySeconds < 60 ? startOverlappingPollers : startShortPollers
  const pollers = start(bridge, settings.pollEverySeconds)
  const releaser = startReleaser({ ...bridge.functions, measures: true })
  let messages = 0
  const runFor = async (count: number): Promise<void> => {
    for (let minute = 0; minute < count; minute += 1) {
      const untilMs = bridge.clock.now() + minuteMs
      await pollers.tick()
      await bridge.clock.sleep(untilMs - bridge.clock.now())
      await shortRun(bridge, releaser)
    }
  }
  try {
    await runFor(warmUpMinutes)
    messages += await bridge.drain(batchSize)
    const lastedBefore = pollers.lastingSeconds()
    bridge.metrics.clear()
    const used = await usageOf(bridge, () => runFor(minutes))
    const lastingSeconds = pollers.lastingSeconds() - lastedBefore
    const rest = await usageOf(bridge, async () => {
      await pollers.stop()
      // Only now, so that a batch's processor time is its own: pollers and the service are in this process too.
      messages += await bridge.drain(batchSize)
    })
    return { used: plus(used, rest), messages, lastingSeconds, metrics: bridge.metrics.size }
  } finally {
    await bridge.stop()
  }
}

const beyondOverlapMs = 5 * minuteMs

/** What is read once more by the hour. */
export type Hourly = { hourSweep: Usage; daysSweep: Usage; reconcile: Usage }

/**
 * A sweep of the last hour, one of the last 32 hours, and a reconcile, over a log of so many events. Each in a new
 * process, which remembers nothing, and beside the same run without it.
 */
export const countHourly = async (events: number): Promise<Hourly> => {
  const bridge = await startCountedBridge({ ...usual, backlog: events })
  try {
    await startShortPollers(bridge, 60).tick()
    await bridge.drain(10)
    // Until nothing is left within the overlap: a poll reads that again as well, and the sweeps come later.
    bridge.clock.turn(beyondOverlapMs)
    const plainPoll = await usageOf(bridge, () => pollOnce(bridge))
    const plainRelease = await usageOf(bridge, () => releaseOnce(bridge))
    bridge.clock.turn(hourMs / 4 + minuteMs - beyondOverlapMs)
    const hourSweep = minus(await usageOf(bridge, () => pollOnce(bridge)), plainPoll)
    bridge.clock.turn(2 * hourMs)
    const reconcile = minus(await usageOf(bridge, () => releaseOnce(bridge)), plainRelease)
    bridge.clock.turn(5 * hourMs)
    const daysSweep = minus(await usageOf(bridge, () => pollOnce(bridge)), plainPoll)
    return { hourSweep, daysSweep, reconcile }
  } finally {
    await bridge.stop()
  }
}

const pollOnce = (bridge: CountedBridge) => {
  const poll = startPoller({ ...bridge.functions, pollEverySeconds: 60 })
  return shortRun(bridge, () => poll(new AbortController().signal))
}

const releaseOnce = (bridge: CountedBridge) =>
  shortRun(bridge, startReleaser({ ...bridge.functions, measures: true }))

/**
 * How often an event is read by what comes by the hour. An instance that swept an hour remembers it, and lives for
 * longer than that: one that is new reads it once. The days are always taken as read by a new one.
 */
const readings = { hourSweep: 1, daysSweep: 32 / 6, reconcile: 1 } as const

/** For an event, of two logs of different length: so what each costs by itself falls out. */
export const hourlyOfAnEvent = (few: Hourly, many: Hourly, difference: number): Usage => {
  const each = (part: keyof Hourly) => times(minus(many[part], few[part]), readings[part] / difference)
  return plus(each('hourSweep'), each('daysSweep'), each('reconcile'))
}

/** In an hour, where there is nothing to read. */
export const hourlyByItself = ({ hourSweep, daysSweep, reconcile }: Hourly): Usage =>
  plus(times(hourSweep, 4), times(daysSweep, 1 / 6), reconcile)

/** Secrets are read, and schedules come, as time goes by, which is turned here: they belong to the standing month. */
export const ofDeliveriesAlone = (usage: Usage): Usage => ({ ...usage, secretReads: 0, scheduled: 0 })

/** Between two runs of the releaser here: what is due meanwhile goes together, as it does where much fails. */
const betweenReleasesMs = hourMs
const releasesMax = 200

/**
 * Deliveries that fail until they are given up, from the poll to the dead-letter queue: what each uses beside the standing
 * work. Either single ones, whose endpoint takes others: each of ten attempts is made. Or all that there are, of an endpoint
 * that is down: its breaker opens, and they are held.
 */
export const countFailures = async (
  events: number,
  of: Pick<BridgeSettings, 'breakerStaysClosed'>,
): Promise<{ used: Usage; attempts: number }> => {
  const bridge = await startCountedBridge({ ...usual, ...of, status: 500, backlog: events })
  try {
    const releaser = startReleaser({ ...bridge.functions, measures: false })
    const release = () => shortRun(bridge, releaser)
    await release()
    const idleRelease = await usageOf(bridge, release)
    let messages = 0
    let releases = 0
    const used = await usageOf(bridge, async () => {
      await startShortPollers(bridge, 60).tick()
      messages += await bridge.drain(10)
      while (bridge.deadLetters() < events && releases < releasesMax) {
        bridge.clock.turn(betweenReleasesMs)
        await release()
        releases += 1
        messages += await bridge.drain(10)
      }
    })
    if (bridge.deadLetters() !== events)
      throw new Error(`${bridge.deadLetters()} of ${events} deliveries given up`)
    const beside = times(idleRelease, releases)
    return { used: times(ofDeliveriesAlone(minus(used, beside)), 1 / events), attempts: messages / events }
  } finally {
    await bridge.stop()
  }
}
