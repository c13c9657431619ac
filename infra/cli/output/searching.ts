import type { Session } from '../session.ts'
import { createProgress } from './progress.ts'

/** Tells, on everything that takes over two seconds, how much was looked at; what goes to stdout wipes it out first. */
export const createSearching = (session: Pick<Session, 'io' | 'clock'>, what: string) => {
  const progress = createProgress(session)
  let count = 0
  return {
    looked: (more: number): void => {
      count += more
      progress.at(null, `Looked at ${count.toLocaleString('en-US')} ${what} …`)
    },
    out: (text: string): void => {
      progress.end()
      session.io.out(text)
    },
    end: progress.end,
  }
}

export type Searching = ReturnType<typeof createSearching>
