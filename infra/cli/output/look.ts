import picocolors from 'picocolors'

export type Colors = ReturnType<typeof picocolors.createColors>

/** How an answer is to look. */
export type Look = {
  /** Columns of the terminal; null where the output goes elsewhere and nothing is to be cut. */
  columns: number | null
  colors: Colors
}

/** Colours only on a terminal, and never against NO_COLOR. */
export const lookOf = (
  out: { isTTY?: boolean; columns?: number },
  env: Readonly<Record<string, string | undefined>>,
): Look => {
  const isTerminal = out.isTTY === true
  const isColored = isTerminal && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb'
  return {
    columns: isTerminal ? (out.columns ?? 80) : null,
    colors: picocolors.createColors(isColored),
  }
}

/** For what goes to a file or a pipe. */
export const plainLook: Look = { columns: null, colors: picocolors.createColors(false) }
