import { describe, expect, it } from 'vitest'
import { type Chart, drawChart } from '../../bench/plots/draw-chart.ts'
import { logTicks } from '../../bench/plots/log-ticks.ts'

const chart: Chart = {
  title: 'Ages & "polls" <60 s',
  notes: ['a note'],
  x: { label: 'x', ticks: [1, 10, 100] },
  y: { label: 'y' },
  panels: [
    {
      title: 'left',
      series: [
        { name: 'a', colour: 0, dashed: false, points: [[1, 1], [100, 100]] }, // biome-ignore format: a point is a pair
        { name: 'b', colour: 1, dashed: true, points: [[10, 10]] }, // biome-ignore format: a point is a pair
      ],
    },
    { title: 'right', series: [{ name: 'a', colour: 0, dashed: false, points: [[1, 10]] }] }, // biome-ignore format: a point is a pair
  ],
}

const attributes = (svg: string, element: string, ...names: string[]): string[][] =>
  [...svg.matchAll(new RegExp(`<${element} [^>]*>`, 'g'))].map(([tag]) =>
    names.map(name => new RegExp(`${name}="([^"]*)"`).exec(tag)?.[1] ?? ''),
  )

describe('ticks of a logarithmic axis', () => {
  it('are 1, 2 and 5 of each power of ten, around all values', () => {
    expect(logTicks([0.3, 7])).toEqual([0.2, 0.5, 1, 2, 5, 10])
  })

  it('end at a value that is itself a tick', () => {
    expect(logTicks([1, 3, 20])).toEqual([1, 2, 5, 10, 20])
  })

  it('are powers of ten alone where there would be too many', () => {
    expect(logTicks([0.5, 30_000])).toEqual([0.1, 1, 10, 100, 1_000, 10_000, 100_000])
  })
})

describe('a chart', () => {
  it('puts points at even distances where they differ by an even factor', () => {
    const [first, last, middle] = attributes(drawChart(chart), 'circle', 'cx', 'cy').map(at => at.map(Number))
    expect(((first?.[0] ?? 0) + (last?.[0] ?? 0)) / 2).toBeCloseTo(middle?.[0] ?? 0, 0)
    expect(((first?.[1] ?? 0) + (last?.[1] ?? 0)) / 2).toBeCloseTo(middle?.[1] ?? 0, 0)
  })

  it('grows upwards and to the right', () => {
    const [first, last] = attributes(drawChart(chart), 'circle', 'cx', 'cy').map(at => at.map(Number))
    expect(Number(last?.[0])).toBeGreaterThan(Number(first?.[0]))
    expect(Number(last?.[1])).toBeLessThan(Number(first?.[1]))
  })

  it('draws each series as a line with a dot for each point, and names it once in the legend', () => {
    const svg = drawChart(chart)
    expect(attributes(svg, 'polyline', 'stroke-dasharray')).toEqual([[''], ['5 4'], ['']])
    expect(attributes(svg, 'circle', 'r')).toHaveLength(4)
    expect(svg.match(/>a<\/text>/g)).toHaveLength(1)
    expect(svg.match(/>b<\/text>/g)).toHaveLength(1)
  })

  it('names no series that has no point to show', () => {
    const [panel] = chart.panels
    const none = { name: 'absent', colour: 2, dashed: false, points: [] }
    const svg = drawChart({ ...chart, panels: [{ title: 'left', series: [...(panel?.series ?? []), none] }] })
    expect(svg).not.toContain('absent')
    expect(svg).toContain('>b</text>')
  })

  it('keeps everything within the page', () => {
    const svg = drawChart(chart)
    const [[width, height] = []] = attributes(svg, 'svg', 'width', 'height').map(at => at.map(Number))
    const places = [...attributes(svg, 'text', 'x', 'y'), ...attributes(svg, 'circle', 'cx', 'cy')]
    for (const [x, y] of places.map(at => at.map(Number))) {
      expect(x).toBeGreaterThanOrEqual(0)
      expect(x).toBeLessThanOrEqual(width ?? 0)
      expect(y).toBeGreaterThanOrEqual(0)
      expect(y).toBeLessThanOrEqual(height ?? 0)
    }
  })

  it('escapes what it writes, and has colours for a dark page', () => {
    const svg = drawChart(chart)
    expect(svg).toContain('Ages &amp; &quot;polls&quot; &lt;60 s')
    expect(svg).toContain('prefers-color-scheme: dark')
  })
})
