import type { StreamName } from '../../domain/source.ts'
import { byStream, type MetricKey } from './metric-names.ts'

/** Values of one metric that are kept of one invocation, for percentiles; what comes after them is left out. */
export const valuesMax = 1_000

/** Of these gauges the lowest is the worst; of all others the highest. */
const lowestIsWorst: readonly MetricKey[] = ['budgetLeft']
const publishedByStream: readonly MetricKey[] = byStream

export type OfStream = { source: string; stream: StreamName }
export type Numbers = ReadonlyMap<MetricKey, number>

/** What an invocation's happenings add up to. */
export type Sums = {
  counts: Numbers
  gauges: Numbers
  values: ReadonlyMap<MetricKey, readonly number[]>
  streams: readonly (OfStream & { gauges: Numbers })[]
}

export type MetricSums = {
  /** Adds to a count; nothing is not published: a metric that is not sent costs nothing, and reads as none. */
  count(key: MetricKey, by?: number): void
  /** Notes how something stands; the worst of an invocation is kept. Null is not known, and not published. */
  gauge(key: MetricKey, value: number | null, of?: OfStream): void
  /** Keeps a value for percentiles. */
  value(key: MetricKey, value: number): void
  /** What there is, and begins anew. */
  take(): Sums
}

type Gathered = {
  counts: Map<MetricKey, number>
  gauges: Map<MetricKey, number>
  values: Map<MetricKey, number[]>
  streams: Map<string, OfStream & { gauges: Map<MetricKey, number> }>
}

const nothing = (): Gathered => ({
  counts: new Map(),
  gauges: new Map(),
  values: new Map(),
  streams: new Map(),
})

/** Adds up what is to be published once, at the end of an invocation. Numbers that are none are left out. */
export const createMetricSums = (): MetricSums => {
  let gathered = nothing()

  const streamOf = (of: OfStream) => {
    const name = `${of.source} ${of.stream}`
    const known = gathered.streams.get(name)
    if (known !== undefined) return known
    const fresh = { source: of.source, stream: of.stream, gauges: new Map<MetricKey, number>() }
    gathered.streams.set(name, fresh)
    return fresh
  }

  return {
    count: (key, by = 1) => {
      if (!Number.isFinite(by) || by === 0) return
      gathered.counts.set(key, (gathered.counts.get(key) ?? 0) + by)
    },
    gauge: (key, value, of) => {
      if (value === null || !Number.isFinite(value)) return
      keepWorst(gathered.gauges, key, value)
      if (of !== undefined && publishedByStream.includes(key)) keepWorst(streamOf(of).gauges, key, value)
    },
    value: (key, value) => {
      if (!Number.isFinite(value)) return
      const kept = gathered.values.get(key) ?? []
      if (kept.length >= valuesMax) return
      kept.push(value)
      gathered.values.set(key, kept)
    },
    take: () => {
      const { streams, ...taken } = gathered
      gathered = nothing()
      return { ...taken, streams: [...streams.values()] }
    },
  }
}

const keepWorst = (gauges: Map<MetricKey, number>, key: MetricKey, value: number): void => {
  const before = gauges.get(key)
  const worst = lowestIsWorst.includes(key) ? Math.min : Math.max
  gauges.set(key, before === undefined ? value : worst(before, value))
}
