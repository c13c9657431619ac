import type { Session } from '../session.ts'

/** Before this nobody wonders. */
const quietMs = 2_000
const redrawMs = 200
const barWidth = 24

/** A bar with what it tells of, on everything that takes over two seconds. `share` is from 0 to 1; null where nobody knows. */
export const createProgress = ({ io, clock }: Pick<Session, 'io' | 'clock'>) => {
  const startedMs = clock.now()
  let drawnMs = startedMs
  let isDrawn = false
  return {
    at: (share: number | null, text: string): void => {
      const nowMs = clock.now()
      if (nowMs - startedMs < quietMs || nowMs - drawnMs < redrawMs) return
      io.progress(share === null ? text : `${barOf(share)} ${text}`)
      drawnMs = nowMs
      isDrawn = true
    },
    end: (): void => {
      if (isDrawn) io.progress('')
      isDrawn = false
    },
  }
}

export type Progress = ReturnType<typeof createProgress>

export const barOf = (share: number): string => {
  const within = Math.min(Math.max(share, 0), 1)
  const full = Math.round(within * barWidth)
  const percent = String(Math.floor(within * 100)).padStart(3)
  return `[${'#'.repeat(full)}${'-'.repeat(barWidth - full)}] ${percent} %`
}
