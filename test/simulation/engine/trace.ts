import { createHash } from 'node:crypto'

/** The last lines that a failure prints. */
const linesShown = 40

/** What happened, line by line: its end for people, its hash to compare two runs. */
export type Trace = {
  add(line: string): void
  last(): string[]
  /** Of all lines so far, hexadecimal. */
  hash(): string
  /** Every line, where they are kept. */
  all(): string[]
}

/** `keepsAll`: for looking into one run; a long one would fill the memory. */
export const createTrace = ({ keepsAll }: { keepsAll: boolean }): Trace => {
  const sum = createHash('sha256')
  let lines: string[] = []
  return {
    add: line => {
      sum.update(line)
      sum.update('\n')
      lines.push(line)
      if (!keepsAll && lines.length > 2 * linesShown) lines = lines.slice(-linesShown)
    },
    last: () => lines.slice(-linesShown),
    hash: () => sum.copy().digest('hex'),
    all: () => lines,
  }
}
