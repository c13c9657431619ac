import * as z from 'zod'
import type { Bench } from './bench.ts'
import { forkChild } from './children.ts'
import type { Chart, Series } from './plots/draw-chart.ts'
import { writePlot } from './plots/write-plot.ts'

const attempts = [1, 2, 5, 10, 20, 50, 100] as const
const answerAfterMs = 20
const measuredMs = 4_000
/** What one attempt at a time could do, were it no longer than the endpoint takes. */
const perSecondMax = 1_000 / answerAfterMs

const rowSchema = z.object({ attemptsAtOnce: z.number(), bridge: z.number(), bare: z.number() })
type Row = z.infer<typeof rowSchema>

/** Deliveries a second of one process against attempts at a time; writes plots/throughput.svg. */
export const concurrencyBench: Bench = {
  name: 'concurrency',
  about: `deliveries a second against attempts at a time, to one endpoint that answers in ${answerAfterMs} ms`,
  run: async () => {
    const receiver = forkChild('concurrency/late-receiver-child.ts', [String(answerAfterMs)])
    const port = await receiver.first(z.number())
    const args = [port, attempts.join(), measuredMs, perSecondMax].map(String)
    const worker = forkChild('concurrency/worker-child.ts', args)
    try {
      const rows = await worker.first(z.array(rowSchema))
      writePlot({ name: 'throughput', bench: 'concurrency', chart: throughputChart(rows) })
      return Object.fromEntries(
        rows.map(({ attemptsAtOnce, bridge, bare }) => [
          `${attemptsAtOnce} at a time`,
          {
            'bridge /s': bridge,
            'bare /s': bare,
            'endpoint allows': attemptsAtOnce * perSecondMax,
            'bridge ÷ bare': bridge / bare,
          },
        ]),
      )
    } finally {
      for (const child of [worker, receiver]) child.end()
    }
  },
}

export const throughputChart = (rows: readonly Row[]): Omit<Chart, 'notes'> => {
  const line = (name: string, colour: number, dashed: boolean, y: (row: Row) => number): Series => ({
    ...{ name, colour, dashed },
    points: rows.map(row => [row.attemptsAtOnce, y(row)]),
  })
  return {
    title: 'Deliveries a second of one process',
    x: { label: 'attempts at a time', ticks: attempts },
    y: { label: 'deliveries a second' },
    panels: [
      {
        title: `one endpoint that answers in ${answerAfterMs} ms`,
        series: [
          line('dispatcher, tables in memory', 0, false, ({ bridge }) => bridge),
          line('bare loop of undici', 1, false, ({ bare }) => bare),
          line(
            `no time lost: ${perSecondMax} for each`,
            3,
            true,
            ({ attemptsAtOnce }) => attemptsAtOnce * perSecondMax,
          ),
        ],
      },
    ],
  }
}
