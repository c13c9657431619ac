import { expect, it } from 'vitest'
import { collectMetricNames } from '../../bench/price/metric-lines.ts'

const blob = (metrics: readonly string[], dimensions: Record<string, string>) =>
  JSON.stringify({
    _aws: {
      Timestamp: 0,
      CloudWatchMetrics: [
        {
          Namespace: 'N',
          Dimensions: [Object.keys(dimensions)],
          Metrics: metrics.map(Name => ({ Name, Unit: 'Count' })),
        },
      ],
    },
    ...dimensions,
  })

it('a metric is billed once for each set of values of its dimensions, however often it is published', () => {
  const metrics = new Set<string>()
  for (const line of [
    blob(['A', 'B'], { service: 's' }),
    blob(['A'], { service: 's' }),
    blob(['A'], { service: 's', stream: 'bounces' }),
    blob(['A'], { service: 's', stream: 'complaints' }),
    JSON.stringify({ level: 'INFO', message: 'poll' }),
  ]) {
    collectMetricNames(line, metrics)
  }
  expect([...metrics]).toEqual([
    'N A service=s',
    'N B service=s',
    'N A service=s,stream=bounces',
    'N A service=s,stream=complaints',
  ])
})
