import type { Logger } from '@aws-lambda-powertools/logger'
import { Metrics } from '@aws-lambda-powertools/metrics'
import type { WriteLine } from './log-lines.ts'
import { type MetricKey, metricNames, metricsNamespace, streamDimensions } from './metric-names.ts'
import type { Numbers, Sums } from './metric-sums.ts'

/**
 * Values of a metric in one blob. The format allows 100 (Amazon CloudWatch User Guide, "Specification: Embedded
 * metric format"); with the hundredth Powertools publishes all that it has, before the metrics that come after.
 */
export const valuesPerBlobMax = 99

/** Publishes what an invocation adds up to. */
export type PublishMetrics = (sums: Sums) => void

/**
 * Metrics as lines of CloudWatch's embedded metric format, by Powertools, to `write`: one line for each stream, one
 * for all the rest, and one more for every further `valuesPerBlobMax` values of a metric.
 */
export const createPublishMetrics = (of: {
  service: string
  logger: Logger
  write: WriteLine
}): PublishMetrics => {
  // Its own prints through a console of its own, and warns where there is nothing to publish.
  class LineMetrics extends Metrics {
    override publishStoredMetrics(): this {
      try {
        if (this.hasStoredMetrics() && !this.isDisabled()) of.write(JSON.stringify(this.serializeMetrics()))
      } finally {
        this.clearMetrics()
        this.clearDimensions()
      }
      return this
    }
  }
  const metrics = new LineMetrics({
    namespace: metricsNamespace,
    serviceName: of.service,
    logger: of.logger,
  })
  const add = (key: MetricKey, value: number): void => {
    metrics.addMetric(metricNames[key].name, metricNames[key].unit, value)
  }
  const addAll = (numbers: Numbers): void => {
    for (const [key, value] of numbers) add(key, value)
  }

  return ({ counts, gauges, values, streams }) => {
    addAll(counts)
    addAll(gauges)
    const longest = Math.max(0, ...[...values.values()].map(({ length }) => length))
    for (let from = 0; from < longest; from += valuesPerBlobMax) {
      if (from > 0) metrics.publishStoredMetrics()
      for (const [key, all] of values) {
        for (const value of all.slice(from, from + valuesPerBlobMax)) add(key, value)
      }
    }
    metrics.publishStoredMetrics()
    for (const one of streams) {
      for (const name of streamDimensions) metrics.addDimension(name, one[name])
      addAll(one.gauges)
      metrics.publishStoredMetrics()
    }
  }
}
