import { logTicks } from './log-ticks.ts'

/** Points are [x, y], all above 0. Series of one colour belong together. */
export type Series = {
  name: string
  colour: number
  dashed: boolean
  points: readonly (readonly [number, number])[]
}
export type Chart = {
  title: string
  /** Where and when the figures were measured, and by what; a line each. */
  notes: readonly string[]
  x: { label: string; ticks: readonly number[] }
  y: { label: string }
  panels: readonly { title: string; series: readonly Series[] }[]
}

const panelWidth = 340
const plotHeight = 260
const margin = { left: 62, right: 16, top: 66, bottom: 58 } as const
const legendRowHeight = 18
const legendColumnWidth = 300
const noteHeight = 16
/** Told apart by people who see colours otherwise, on white and on black (Okabe and Ito). */
const colours = ['#0072b2', '#d55e00', '#009e73', '#cc79a7'] as const

/** A chart of lines on two logarithmic axes as SVG, readable on a light and on a dark page. No DOM, no script. */
export const drawChart = (chart: Chart): string => {
  const series = chart.panels.flatMap(panel => panel.series)
  const drawn = series.filter(({ points }) => points.length > 0)
  const ticks = { x: chart.x.ticks, y: logTicks(drawn.flatMap(({ points }) => points.map(([, y]) => y))) }
  const legend = [...new Map(drawn.map(one => [one.name, one])).values()]
  const width = margin.left + chart.panels.length * (panelWidth + margin.right)
  const legendColumns = Math.max(1, Math.floor((width - margin.left) / legendColumnWidth))
  const legendTop = margin.top + plotHeight + margin.bottom
  const legendHeight = Math.ceil(legend.length / legendColumns) * legendRowHeight
  const height = legendTop + legendHeight + (chart.notes.length + 0.5) * noteHeight
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(chart.title)}">`,
    style,
    `<rect class="page" width="${width}" height="${height}"/>`,
    text(margin.left, 22, chart.title, 'title'),
    `<g transform="translate(14 ${margin.top + plotHeight / 2}) rotate(-90)">${text(0, 0, chart.y.label, 'middle')}</g>`,
    ...chart.panels.flatMap((panel, at) => {
      const left = margin.left + at * (panelWidth + margin.right)
      return drawPanel(panel, { left, chart, ticks, isFirst: at === 0 })
    }),
    ...legend.map((one, at) => {
      const x = margin.left + (at % legendColumns) * legendColumnWidth
      const y = legendTop + Math.floor(at / legendColumns) * legendRowHeight + 4
      return `<path ${strokeOf(one)} d="M${x} ${y}h28"/>${text(x + 36, y + 4, one.name)}`
    }),
    ...chart.notes.map((note, at) =>
      text(margin.left, legendTop + legendHeight + (at + 0.75) * noteHeight, note, 'note'),
    ),
    '</svg>\n',
  ]
  return parts.join('\n')
}

type Ticks = { x: readonly number[]; y: readonly number[] }

const drawPanel = (
  panel: Chart['panels'][number],
  of: { left: number; chart: Chart; ticks: Ticks; isFirst: boolean },
): string[] => {
  const { left, ticks } = of
  const bottom = margin.top + plotHeight
  const inset = panelWidth * 0.06
  const x = scale(ticks.x, left + inset, left + panelWidth - inset)
  const y = scale(ticks.y, bottom, margin.top)
  return [
    text(left, margin.top - 12, panel.title),
    ...ticks.y.map(
      tick =>
        `<path class="grid" d="M${left} ${y(tick)}h${panelWidth}"/>` +
        (of.isFirst ? text(left - 8, y(tick) + 4, readable(tick), 'end') : ''),
    ),
    ...ticks.x.map(tick => text(x(tick), bottom + 18, readable(tick), 'middle')),
    text(left + panelWidth / 2, bottom + 38, of.chart.x.label, 'middle'),
    ...panel.series.flatMap(one => [
      `<polyline ${strokeOf(one)} points="${one.points.map(([px, py]) => `${x(px)},${y(py)}`).join(' ')}"/>`,
      ...one.points.map(([px, py]) => `<circle cx="${x(px)}" cy="${y(py)}" r="3" fill="${colourOf(one)}"/>`),
    ]),
  ]
}

/** From the first tick to the last, in pixels with one decimal. */
const scale = (ticks: readonly number[], from: number, to: number) => {
  const [first, last] = [Math.log(ticks[0] ?? 1), Math.log(ticks.at(-1) ?? 1)]
  return (value: number): number => {
    const share = last === first ? 0.5 : (Math.log(value) - first) / (last - first)
    return Math.round((from + share * (to - from)) * 10) / 10
  }
}

const colourOf = ({ colour }: Series): string => colours[colour % colours.length] ?? colours[0]

const strokeOf = (series: Series): string =>
  `fill="none" stroke="${colourOf(series)}" stroke-width="2"${series.dashed ? ' stroke-dasharray="5 4"' : ''}`

const text = (x: number, y: number, content: string, cssClass?: string): string =>
  `<text x="${x}" y="${y}"${cssClass === undefined ? '' : ` class="${cssClass}"`}>${escaped(content)}</text>`

const escaped = (content: string): string =>
  content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

const readable = (tick: number): string => Number(tick.toPrecision(3)).toLocaleString('en')

const style = `<style>
text { font: 12px system-ui, sans-serif; fill: #1f2328 }
.title { font-size: 15px; font-weight: 600 } .note { fill: #59636e; font-size: 11px }
.middle { text-anchor: middle } .end { text-anchor: end }
.grid { stroke: #d1d9e0; stroke-width: 1 } .page { fill: #ffffff }
@media (prefers-color-scheme: dark) {
text { fill: #f0f6fc } .note { fill: #9198a1 } .grid { stroke: #3d444d } .page { fill: #0d1117 }
}
</style>`
