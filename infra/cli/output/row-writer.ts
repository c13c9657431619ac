import stringWidth from 'string-width'
import wrapAnsi from 'wrap-ansi'
import type { Look } from './look.ts'
import { shrink } from './shrink.ts'

/** A column of a table whose rows are not known when its head is written. */
export type RowColumn = {
  title: string
  /** What its longest text is thought to take. */
  width: number
  /** Gives way where the table is wider than the terminal. */
  shrinks?: boolean
}

const shrunkWidthMin = 6
const gap = '  '

/** Rows of a table, each written as it comes; a longer text is wrapped on a terminal, else it stays whole. */
export const createRowWriter = (look: Look, columns: readonly RowColumn[]) => {
  const widths = widthsWithin(columns, look.columns)
  const lineOf = (texts: readonly string[]): string =>
    texts
      .map((text, at) => text + ' '.repeat(Math.max(0, (widths[at] ?? 0) - stringWidth(text))))
      .join(gap)
      .trimEnd()
  return {
    head: lineOf(columns.map(({ title }) => look.colors.dim(title))),
    row: (texts: readonly string[]): string => {
      if (look.columns === null) return lineOf(texts)
      // Broken anywhere where it must be: ids have no spaces.
      const cells = texts.map((text, at) => wrapAnsi(text, widths[at] ?? 1, { hard: true }).split('\n'))
      const lines = Math.max(...cells.map(cell => cell.length))
      return Array.from({ length: lines }, (_, line) => lineOf(cells.map(cell => cell[line] ?? ''))).join(
        '\n',
      )
    },
  }
}

const widthsWithin = (columns: readonly RowColumn[], max: number | null): number[] => {
  const widths = columns.map(({ title, width }) => Math.max(width, stringWidth(title)))
  if (max === null) return widths
  const over = widths.reduce((sum, width) => sum + width, gap.length * (columns.length - 1)) - max
  return shrink(widths, columns, { over, widthMin: shrunkWidthMin })
}
