import type { Clock, Random } from '../../../shared/domain/clock.ts'
import { encodeMessage } from '../../../shared/domain/delivery/delivery-message.ts'
import type { DeliveryQueue } from '../../../shared/domain/delivery/delivery-queue.ts'
import { eventId } from '../../../shared/domain/feedback/event-id.ts'
import type { EventLog } from '../../../shared/domain/polling/event-log.ts'
import { daySeconds } from '../../../shared/domain/time-units.ts'
import { lambdaModel } from '../price/lambda-model.ts'

/** Events a second that go to one of a group of endpoints. */
export type Flow = { endpoints: readonly string[]; perSecond: number; isKept: boolean }

/**
 * Events as the poller enqueues them: all that the service has logged since the last poll, at once. Those of a flow that
 * is kept are in the log, from which comes what was held; nobody asks for the others.
 */
export const startLoad = async (of: {
  flows: readonly Flow[]
  pollEveryMs: number
  untilMs: number
  clock: Clock
  random: Random
  queue: DeliveryQueue
  log: Pick<EventLog, 'record'>
  onEnqueued: (event: string, endpoint: string) => void
}): Promise<void> => {
  const { clock, random } = of
  const total = of.flows.reduce((sum, { perSecond }) => sum + perSecond, 0)
  let uuids = 0

  const pick = (): { endpoint: string; isKept: boolean } => {
    let left = random() * total
    const flow = of.flows.find(({ perSecond }) => {
      left -= perSecond
      return left < 0
    })
    const endpoints = flow?.endpoints ?? []
    return {
      endpoint: endpoints[Math.floor(random() * endpoints.length)] ?? '',
      isKept: flow?.isKept ?? false,
    }
  }
  const poll = async (): Promise<void> => {
    const fromMs = clock.now() - of.pollEveryMs
    const count = Math.round((total * of.pollEveryMs) / 1_000)
    const events = Array.from({ length: count }, (_, at) => {
      uuids += 1
      const second = Math.floor((fromMs + (at * of.pollEveryMs) / count) / 1_000)
      return { uuid: `uuid-${uuids}`, second, ...pick() }
    })
    await clock.sleep(lambdaModel.serviceAnswerMs)
    const logged = events.map(event => loggedEvent(event, clock.now()))
    await of.log.record(logged.filter((_, at) => events[at]?.isKept))
    for (const { id, endpointIds } of logged) of.onEnqueued(id, endpointIds[0] ?? '')
    await of.queue.send(logged.map(event => entryOf(event, clock.now())))
  }
  while (clock.now() < of.untilMs) {
    void poll()
    await clock.sleep(of.pollEveryMs)
  }
}

type ToLog = { uuid: string; second: number; endpoint: string }

const loggedEvent = ({ uuid, second, endpoint }: ToLog, nowMs: number) => {
  const origin = { sourceId: 'main', stream: 'bounces' } as const
  return {
    ...{
      ...origin,
      id: eventId({ ...origin, uuid, second }),
      type: 'email.bounce.hard',
      recordId: uuid,
      second,
    },
    ...{ body: '{}', endpointIds: [endpoint], loggedAtMs: nowMs, expiresAtSeconds: second + 35 * daySeconds },
  }
}

const entryOf = (event: ReturnType<typeof loggedEvent>, nowMs: number) => {
  const { id, sourceId, stream, type, body, expiresAtSeconds } = event
  const endpointId = event.endpointIds[0] ?? ''
  const message = encodeMessage({
    ...{ v: 1, eventId: id, endpointId, sourceId, stream, type, round: 1, attempt: 1 },
    ...{ enqueuedAtMs: nowMs, expiresAtSeconds, body, deliveredBy: null },
  })
  return { lane: 'fast', group: endpointId, body: message, delayMs: 0, faults: null } as const
}
