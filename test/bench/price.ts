import { batchMessagesMax } from '../../infra/stack/lane-batches.ts'
import type { Bench } from './bench.ts'
import { logsAndStorage, requestsAndCompute } from './price/price-list.ts'
import {
  countFailures,
  countHourly,
  countMinutes,
  hourlyOfAnEvent,
  ofDeliveriesAlone,
  type Running,
} from './price/scenarios.ts'
import { countStackItems } from './price/stack-items.ts'
import { standingMonth } from './price/standing.ts'
import { minus, plus, times, type Usage } from './price/usage.ts'

const million = 1_000_000
/** Logs are kept for 30 days, items for 35 (the defaults). */
const kept = { logMonths: 1, itemMonths: 35 / 30 }

/** Two lengths of the log, so that what a sweep costs by itself falls out. */
const [fewEvents, manyEvents] = [300, 1_500]
const failingEvents = 100

/** Polls that bring many records, for batches as full as the stack has them, or of ten; and polls that bring three. */
const fullBatches = { batchSize: batchMessagesMax, minutes: 3, backlog: 200 }
const batchesOfTen = { ...fullBatches, batchSize: 10 }
const [records, moreRecords, recordsASecond] = [1_000, 3_000, 20]
const batchesOfThree = { batchSize: 3, minutes: 5, backlog: 200, speed: 30 }
const sparse = { records: 180, rate: 0.6 }
/** A clock that runs faster would stretch the moment in which one run hands over to the next. */
const standing = { minutes: 10, warmUpMinutes: 2, backlog: 200 }
const standingByTheMinute = { ...standing, speed: 30 }

/** What AWS would bill: every call of a run is counted and priced. What is counted and what is a model, README.md tells. */
export const priceBench: Bench = {
  name: 'price',
  about: 'USD, us-east-1, no free tier: a million deliveries, the standing month, a million failures',
  run: async () => {
    const hourly = { few: await countHourly(fewEvents), many: await countHourly(manyEvents) }
    const ofAnEvent = hourlyOfAnEvent(hourly.few, hourly.many, manyEvents - fewEvents)
    const perDelivery = (
      loaded: Running,
      idle: Running,
      of: { records: number; endpoints: number },
    ): Usage => {
      const running = times(minus(loaded.used, idle.used), 1 / deliveriesOf(loaded, idle, of))
      return ofDeliveriesAlone(plus(running, times(ofAnEvent, 1 / of.endpoints)))
    }
    const count = async (
      of: typeof fullBatches,
      endpoints: number,
      flow: { records: number; rate: number },
    ) =>
      perDelivery(
        await countMinutes({ ...of, endpoints, ...flow }),
        await countMinutes({ ...of, endpoints }),
        { records: flow.records, endpoints },
      )
    const idle = await countMinutes(fullBatches)
    const flow = { ...fullBatches, rate: recordsASecond }
    const full = perDelivery(await countMinutes({ ...flow, records }), idle, { records, endpoints: 1 })
    const longer = await countMinutes({ ...flow, records: moreRecords })
    const fullLonger = perDelivery(longer, idle, { records: moreRecords, endpoints: 1 })
    const fullOfThree = await count(fullBatches, 3, { records, rate: recordsASecond })
    const ofTen = await count(batchesOfTen, 1, { records, rate: recordsASecond })
    const few = await count(batchesOfThree, 1, sparse)
    const fewOfThree = await count(batchesOfThree, 3, sparse)
    const failed = await countFailures(failingEvents, { breakerStaysClosed: true })
    const down = await countFailures(failingEvents, { breakerStaysClosed: false })
    const stack = countStackItems()
    const month = async (pollEverySeconds: number, of: typeof standing) => {
      const nothing = await countMinutes({ ...of, pollEverySeconds })
      return standingMonth({
        ...{ idle: nothing, minutes: of.minutes, hourly: hourly.few, stack },
        metricsWhileDelivering: longer.metrics,
      })
    }
    const scenarios = {
      [`one endpoint, batches of ${batchMessagesMax}`]: fullLonger,
      [`three endpoints, batches of ${batchMessagesMax}`]: fullOfThree,
      'one endpoint, batches of 10': ofTen,
      'one endpoint, batches of 3': few,
      'three endpoints, batches of 3': fewOfThree,
      'one endpoint, all 10 attempts fail': failed.used,
      'an endpoint that is down for good': down.used,
    }
    return {
      linearity: {
        [`of ${records} records`]: priced(full).usd,
        [`of ${moreRecords} records`]: priced(fullLonger).usd,
      },
      'messages of a delivery': {
        'all 10 attempts fail': failed.attempts,
        'down for good': down.attempts,
      },
      'a million, used': mapValues(scenarios, used),
      'a million, requests and compute (USD)': mapValues(scenarios, priced),
      'a million, logs and storage (USD)': mapValues(scenarios, usage =>
        logsAndStorage(times(usage, million), kept),
      ),
      'standing month (USD)': {
        'every 5 s': await month(5, standing),
        'every 60 s': await month(60, standingByTheMinute),
      },
    }
  },
}

/** On a busy machine polls fall behind their fast clock, overlap, and send twice: no measurement of what is usual. */
const sentTwiceShareMax = 0.02

const deliveriesOf = (loaded: Running, idle: Running, of: { records: number; endpoints: number }): number => {
  const [messages, deliveries] = [loaded.messages - idle.messages, of.records * of.endpoints]
  if (Math.abs(messages / deliveries - 1) <= sentTwiceShareMax) return deliveries
  throw new Error(`${messages} messages for ${deliveries} deliveries: the machine is too busy for this bench`)
}

const priced = (usage: Usage) => requestsAndCompute(times(usage, million))

const used = (usage: Usage) => {
  const { sqsRequests, writeUnits, readUnits, invocations, gbSeconds, logBytes, tableBytes } = times(
    usage,
    million,
  )
  return { sqsRequests, writeUnits, readUnits, invocations, gbSeconds, logBytes, tableBytes }
}

const mapValues = <From, To>(of: Readonly<Record<string, From>>, map: (from: From) => To) =>
  Object.fromEntries(Object.entries(of).map(([name, value]) => [name, map(value)]))
