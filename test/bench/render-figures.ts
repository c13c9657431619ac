import type { Figures } from './bench.ts'

/** Figures for people: numbers one a line, groups below their name, groups of one form as the rows of a table. */
export const renderFigures = (figures: Figures): string[] => {
  const numbers: Row[] = []
  const groups: [string, Figures][] = []
  for (const [name, value] of Object.entries(figures)) {
    if (typeof value === 'number') numbers.push([name, readable(value)])
    else groups.push([name, value])
  }
  const columns = columnsOf(groups)
  if (columns !== null) {
    const rows = groups.map(([name, group]) => [name, ...columns.map(column => cell(group[column]))])
    return [...aligned(numbers), ...aligned([['', ...columns], ...rows])]
  }
  const below = groups.flatMap(([name, group]) => [name, ...renderFigures(group).map(line => `  ${line}`)])
  return [...aligned(numbers), ...below]
}

type Row = readonly string[]

/** The names that all groups share, in their order; null where they are not rows of one table. */
const columnsOf = (groups: readonly [string, Figures][]): readonly string[] | null => {
  const [first] = groups
  if (first === undefined || groups.length < 2) return null
  const columns = Object.keys(first[1])
  const alike = groups.every(
    ([, group]) =>
      Object.keys(group).join() === columns.join() &&
      Object.values(group).every(value => typeof value === 'number'),
  )
  return alike ? columns : null
}

const aligned = (rows: readonly Row[]): string[] => {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map(row => row[at]?.length ?? 0)))
  return rows.map(row =>
    row
      .map((text, at) => (at === 0 ? text.padEnd(widths[at] ?? 0) : text.padStart(widths[at] ?? 0)))
      .join('  ')
      .trimEnd(),
  )
}

const cell = (value: number | Figures | undefined): string =>
  typeof value === 'number' ? readable(value) : ''

/** Four digits that count; whole numbers whole. */
const readable = (value: number): string =>
  (Number.isInteger(value) ? value : Number(value.toPrecision(4))).toLocaleString('en', {
    maximumSignificantDigits: 12,
  })
