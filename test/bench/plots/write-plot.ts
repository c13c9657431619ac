import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { type Chart, drawChart } from './draw-chart.ts'

/** Writes a chart beside this file, with the day, the machine and the bench that drew it; it is checked in. */
export const writePlot = (of: {
  name: string
  bench: string
  chart: Omit<Chart, 'notes'>
  /** What a reader has to know beside it. */
  remarks?: readonly string[]
}): void => {
  const { name, bench, chart, remarks = [] } = of
  const day = new Date().toISOString().slice(0, 10)
  const model = cpus()[0]?.model.trim() ?? 'unknown'
  const notes = [
    ...remarks,
    `${day}, ${cpus().length} × ${model}, Node ${process.versions.node}`,
    `npm run bench -- ${bench}`,
  ]
  writeFileSync(join(import.meta.dirname, `${name}.svg`), drawChart({ ...chart, notes }))
}
