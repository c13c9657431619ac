import type { Happening, Reporter } from '../../shared/domain/happenings.ts'

/** Tells each of them. One that throws is left out from then on: a broken display must not stop a delivery. */
export const createFanOut = (
  reporters: readonly Reporter[],
  onBroken: (error: unknown) => void = () => undefined,
): Reporter => {
  const working = new Set(reporters)
  const tell = (reporter: Reporter, happening: Happening): void => {
    try {
      reporter.report(happening)
    } catch (error) {
      working.delete(reporter)
      onBroken(error)
    }
  }
  return {
    report: happening => {
      for (const reporter of working) tell(reporter, happening)
    },
  }
}
