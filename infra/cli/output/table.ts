import Table from 'cli-table3'
import stringWidth from 'string-width'
import wrapAnsi from 'wrap-ansi'
import type { Look } from './look.ts'
import { shrink } from './shrink.ts'

export type Column = {
  title: string
  /** Gives way where the table is wider than the terminal: its texts are wrapped. */
  shrinks?: boolean
  align?: 'left' | 'right'
}

/** A column that gives way keeps this much. */
const shrunkWidthMin = 12
const fieldWidthMin = 20
const gap = 2

/** Rows under titles, as wide as the terminal at most; where there is none, nothing is wrapped. */
export const renderTable = (
  look: Look,
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
): string => {
  const natural = columns.map(({ title }, at) =>
    Math.max(stringWidth(title), ...rows.map(row => widestLine(row[at] ?? ''))),
  )
  const widths = widthsWithin(natural, columns, look.columns)
  const wrapped = rows.map(row => row.map((text, at) => wrap(text, widths[at] ?? 0)))
  const head = columns.map(({ title }) => look.colors.dim(title))
  return layOut([head, ...wrapped], columns)
}

/** Broken anywhere where it must be: ids and URLs have no spaces. */
const wrap = (text: string, width: number): string => wrapAnsi(text, width, { hard: true })

const layOut = (rows: readonly (readonly string[])[], columns: readonly Pick<Column, 'align'>[]): string => {
  const table = new Table({
    colAligns: columns.map(({ align = 'left' }) => align),
    chars: noBorders,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': gap, compact: true },
  })
  table.push(...rows.map(row => [...row]))
  return table
    .toString()
    .split('\n')
    .map(line => line.trimEnd())
    .join('\n')
}

const widestLine = (text: string): number => Math.max(0, ...text.split('\n').map(line => stringWidth(line)))

const widthsWithin = (
  natural: readonly number[],
  columns: readonly Column[],
  max: number | null,
): readonly number[] => {
  if (max === null) return natural
  const over = natural.reduce((sum, width) => sum + width + gap, 0) - max
  return shrink(natural, columns, { over, widthMin: shrunkWidthMin })
}

/** Names with their values below each other, the values wrapped. */
export const renderFields = (look: Look, fields: readonly (readonly [string, string])[]): string => {
  const nameWidth = Math.max(...fields.map(([name]) => stringWidth(name)))
  const valueWidth =
    look.columns === null ? null : Math.max(fieldWidthMin, look.columns - nameWidth - 2 * gap)
  const rows = fields.map(([name, value]) => [
    look.colors.dim(name),
    valueWidth === null ? value : wrap(value, valueWidth),
  ])
  return layOut(rows, [{}, {}])
}

const noBorders = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '',
}
