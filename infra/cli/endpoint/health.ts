import type { Endpoint } from '../../../shared/domain/endpoint/endpoint.ts'
import type { OpenBreaker } from '../../../shared/domain/endpoint/endpoint-health.ts'
import { isoOrNull, showAge, showMomentAndAge } from '../output/moments.ts'
import { counted } from '../output/texts.ts'

const why: Record<OpenBreaker['because'], string> = {
  failures_in_row: 'it failed again and again',
  failing_share: 'half of the attempts or more failed',
}

/** Failures on end that are worth a line: a few belong to every day. */
const failuresToldMin = 3

/** What is wrong with an endpoint's health, a line for each; none where it is good. */
export const healthLines = ({ health }: Pick<Endpoint, 'health'>, nowMs: number): string[] => {
  const { open, pausedUntilMs, failingSinceMs, failuresInRow } = health
  const isFailing = open !== null || failuresInRow >= failuresToldMin
  return [
    ...(open === null
      ? []
      : [
          `breaker open since ${showMomentAndAge(open.sinceMs, nowMs)}, because ${why[open.because]}; ` +
            `the next probe ${open.nextProbeAtMs <= nowMs ? 'is due' : showAge(open.nextProbeAtMs, nowMs)}`,
        ]),
    ...(pausedUntilMs !== null && pausedUntilMs > nowMs
      ? [`paused, as it asked, until ${showMomentAndAge(pausedUntilMs, nowMs)}`]
      : []),
    ...(isFailing && failingSinceMs !== null
      ? [
          `no success since ${showMomentAndAge(failingSinceMs, nowMs)}, ${counted(failuresInRow, 'failure')} in a row`,
        ]
      : []),
  ]
}

/** What `--json` shows of it. A time of `pausedUntil` that has passed is over. */
export const healthJson = ({ health }: Pick<Endpoint, 'health'>) => {
  const { open, pausedUntilMs, failingSinceMs, failuresInRow } = health
  return {
    breaker: open === null ? 'closed' : 'open',
    openSince: isoOrNull(open?.sinceMs ?? null),
    openBecause: open?.because ?? null,
    nextProbe: isoOrNull(open?.nextProbeAtMs ?? null),
    pausedUntil: isoOrNull(pausedUntilMs),
    failingSince: isoOrNull(failingSinceMs),
    failuresInRow,
  }
}
