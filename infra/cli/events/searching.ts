import type { Session } from '../session.ts'

/** Before this nobody wonders. */
const quietMs = 2_000
const redrawMs = 200

/** Tells, on everything that takes over two seconds, how much was looked at; what goes to stdout wipes it out first. */
export const createSearching = ({ io, clock }: Pick<Session, 'io' | 'clock'>, what: string) => {
  const startedMs = clock.now()
  let drawnMs = startedMs
  let count = 0
  let isDrawn = false
  return {
    looked: (more: number): void => {
      count += more
      const nowMs = clock.now()
      if (nowMs - startedMs < quietMs || nowMs - drawnMs < redrawMs) return
      io.progress(`Looked at ${count.toLocaleString('en-US')} ${what} …`)
      drawnMs = nowMs
      isDrawn = true
    },
    out: (text: string): void => {
      if (isDrawn) io.progress('')
      isDrawn = false
      io.out(text)
    },
    end: (): void => {
      if (isDrawn) io.progress('')
      isDrawn = false
    },
  }
}

export type Searching = ReturnType<typeof createSearching>
