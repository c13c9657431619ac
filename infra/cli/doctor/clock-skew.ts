import { minuteMs } from '../../../shared/domain/time-units.ts'
import { showDuration } from '../../local/durations.ts'
import { type Check, type Found, failed, ok, skipped, warning } from './check.ts'
import type { SourceProbe } from './probe-source.ts'

/** Below it nobody needs to look after clocks. */
const skewToldMs = 30_000
/** What is signed by a clock that is further off, many receivers refuse: five minutes is what libraries allow. */
const skewFailedMs = 5 * minuteMs

/** This machine's clock agrees with the service's `Date`. */
export const clockSkewCheck: Check = {
  name: 'clock',
  run: async ({ sources, probe }) =>
    Promise.all(sources.map(async source => findingOf(source.id, await probe(source)))),
}

const findingOf = (id: string, probe: SourceProbe): Found => {
  const answers = probe.map(({ first }) => first).filter(first => first.kind === 'answered')
  if (answers.length === 0) return skipped(id, 'no list answered')
  const skews = answers.flatMap(({ page, startedMs, endedMs }) =>
    page.serverDateMs === null ? [] : [skewOf({ dateMs: page.serverDateMs, startedMs, endedMs })],
  )
  const [skewMs] = skews.toSorted((one, other) => Math.abs(one) - Math.abs(other))
  if (skewMs === undefined) {
    return warning(id, 'answers have no Date', 'Polling goes by our own clock then: see that it is right.')
  }
  const off = Math.abs(skewMs)
  if (off === 0) return ok(id, "agrees with the service's")
  const text = `the service's is ${showDuration(off)} ${skewMs > 0 ? 'ahead of' : 'behind'} this machine's`
  const mend = 'Set the clock of this machine by NTP; if it is right, tell the service.'
  if (off >= skewFailedMs) return failed(id, text, mend)
  return off >= skewToldMs ? warning(id, text, mend) : ok(id, text)
}

/**
 * How far the service's clock is from ours, at the least: `Date` has whole seconds, and was written at some moment between
 * the request and the answer.
 */
export const skewOf = (of: { dateMs: number; startedMs: number; endedMs: number }): number => {
  const leastMs = of.dateMs - of.endedMs
  const mostMs = of.dateMs + 999 - of.startedMs
  if (leastMs > 0) return leastMs
  return mostMs < 0 ? mostMs : 0
}
