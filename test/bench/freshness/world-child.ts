import { startSimulator } from '../../../infra/simulator/server.ts'
import { streamNames } from '../../../shared/domain/source.ts'
import { startVerifyingReceiver } from './verifying-receiver.ts'
import { type RecordTimes, type WorldReady, type WorldReport, worldSettingsSchema } from './world-messages.ts'

/**
 * The other side of a run, in a process of its own: the simulated service and a receiver that verifies, by one clock.
 * Argument: the settings as JSON. Answers each message with a report.
 */
const settings = worldSettingsSchema.parse(JSON.parse(process.argv[2] ?? ''))
const receiver = await startVerifyingReceiver(settings)
const { rate, backlog, rateLimit } = settings
const simulator = await startSimulator({ rate, backlog, rateLimit, seed: 7 })

const timesOfRecords = (): RecordTimes[] =>
  streamNames.flatMap(stream =>
    simulator.records(stream).map(({ uuid, visibleAtMs }) => ({
      visibleAtMs,
      arrivedAtMs: receiver.arrivedAtMs.get(uuid) ?? null,
    })),
  )
const report = (): WorldReport => ({
  arrived: receiver.arrivedAtMs.size,
  posts: receiver.posts(),
  lastAtMs: receiver.lastAtMs(),
  requestedAtMs: simulator.requests.map(({ atMs }) => atMs),
  refused: simulator.requests.filter(({ status }) => status === 429).length,
  records: settings.tellsRecords ? timesOfRecords() : [],
})
const ready: WorldReady = {
  url: simulator.url,
  token: simulator.token,
  receiver: receiver.url,
  visible: timesOfRecords().length,
}

process.send?.(ready)
process.on('message', () => process.send?.(report()))
process.on('disconnect', () => process.exit(0))
