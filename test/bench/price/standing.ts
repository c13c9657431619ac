import { longRunGbSeconds } from './lambda-model.ts'
import { gigabyte, logsAndStorage, priceList, requestsAndCompute } from './price-list.ts'
import { type Hourly, hourlyByItself, type Running } from './scenarios.ts'
import type { StackItems } from './stack-items.ts'
import { noUsage, plus, times } from './usage.ts'

const hoursOfAMonth = 730
const minutesOfAMonth = hoursOfAMonth * 60

/**
 * A queue that nobody writes to is asked by five long polls all the same, of 20 s each: with a maximum concurrency
 * Lambda does not lower their number (Lambda Developer Guide, "Configuring scaling behavior for SQS event source
 * mappings").
 */
const pollersOfAQueue = 5
const longPollsOfAMinute = 60 / 20
/** Beside those in the template: the token of one source. */
const tokens = 1

/** The month of a deployed bridge with one source and one endpoint, where nothing comes. */
export const standingMonth = (of: {
  idle: Running
  minutes: number
  hourly: Hourly
  stack: StackItems
  metricsWhileDelivering: number
}) => {
  const { idle, minutes, stack } = of
  const emptyReceives = stack.polledQueues * pollersOfAQueue * longPollsOfAMinute * minutesOfAMonth
  const usage = plus(
    times(idle.used, minutesOfAMonth / minutes),
    { ...noUsage, gbSeconds: longRunGbSeconds((idle.lastingSeconds / minutes) * minutesOfAMonth) },
    times(hourlyByItself(of.hourly), hoursOfAMonth),
  )
  const run = requestsAndCompute(usage)
  // The table does not grow: what a run writes takes the place of what was there.
  const logs = logsAndStorage({ ...usage, tableBytes: 0 }, { logMonths: 1, itemMonths: 0 })
  const emptyReceivesUsd = emptyReceives * priceList.sqsPerRequest
  const secrets = (stack.secrets + tokens) * priceList.secretMonth + run.secrets
  const metrics = idle.metrics * priceList.metricMonth
  const alarms =
    stack.alarmMetrics * priceList.alarmMetricMonth + stack.compositeAlarms * priceList.compositeAlarmMonth
  const dashboard = stack.dashboards * priceList.dashboardMonth
  return {
    lambda: run.lambda,
    table: run.reads + run.writes,
    emptyReceives: emptyReceivesUsd,
    schedules: run.schedules,
    secrets,
    logs: logs.usd,
    metrics,
    alarms,
    dashboard,
    usd: run.usd - run.secrets + emptyReceivesUsd + secrets + logs.usd + metrics + alarms + dashboard,
    logGb: usage.logBytes / gigabyte,
    customMetrics: idle.metrics,
    /** More, for each hour in which something is delivered, as for a whole month of them. */
    metricsWhileDelivering: (of.metricsWhileDelivering - idle.metrics) * priceList.metricMonth,
  }
}
