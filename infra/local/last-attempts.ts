import type { Reporter } from '../../shared/domain/happenings.ts'

/** As many as a terminal of 24 lines shows beside the counts. */
export const attemptsShownMax = 8

export type ShownAttempt = {
  atMs: number
  event: string
  type: string
  endpoint: string
  /** The HTTP status, or why there was no answer. */
  answer: string
  delivered: boolean
  ageMs: number
}

/** The newest attempts, the newest first. */
export const createLastAttempts = (now: () => number): Reporter & { list(): readonly ShownAttempt[] } => {
  let attempts: ShownAttempt[] = []
  return {
    report: happening => {
      if (happening.kind !== 'attempt') return
      const { event, type, endpoint, status, reason, ageMs } = happening
      const answer = status === null ? (reason ?? '') : String(status)
      const shown = { atMs: now(), event, type, endpoint, answer, delivered: reason === null, ageMs }
      attempts = [shown, ...attempts].slice(0, attemptsShownMax)
    },
    list: () => attempts,
  }
}
