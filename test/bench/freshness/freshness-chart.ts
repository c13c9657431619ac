import type { Chart, Series } from '../plots/draw-chart.ts'
import { nameOf, pageSizes, pollsEverySeconds, rates } from './freshness-cases.ts'
import type { FreshnessFigures } from './freshness-figures.ts'

/** Age against the polling interval; what the budget or the machine does not keep up with has no age to show. */
export const freshnessChart = (rows: ReadonlyMap<string, FreshnessFigures>): Omit<Chart, 'notes'> => ({
  title: 'Seconds from a record becoming visible to its verified arrival',
  x: { label: 'seconds between two polls, as configured', ticks: pollsEverySeconds },
  y: { label: 'seconds' },
  panels: pageSizes.map(pageSize => ({
    title: `pages of ${pageSize.toLocaleString('en')}`,
    series: rates.flatMap((rate, colour) =>
      (['p99', 'p50'] as const).map((name): Series => {
        const points = pollsEverySeconds.flatMap((pollEverySeconds): [number, number][] => {
          const row = rows.get(nameOf({ rate, pollEverySeconds, pageSize, measuredMs: 0 }))
          return row === undefined || row['not arrived'] > 0 ? [] : [[pollEverySeconds, row[name]]]
        })
        return { name: `${name} at ${rate} a second`, colour, dashed: name === 'p50', points }
      }),
    ),
  })),
})
