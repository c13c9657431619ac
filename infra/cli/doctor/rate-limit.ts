import type { Source } from '../../../shared/domain/source.ts'
import { type Check, type Found, ok, skipped, warning } from './check.ts'
import type { SourceProbe } from './probe-source.ts'

/** What the service says of its limit agrees with what the source says. */
export const rateLimitCheck: Check = {
  name: 'rate limit',
  run: async ({ sources, probe }) =>
    Promise.all(sources.map(async source => findingOf(source, await probe(source)))),
}

const findingOf = ({ id, requestsPerMinute }: Source, probe: SourceProbe): Found => {
  const answers = probe.map(({ first }) => first).filter(first => first.kind === 'answered')
  if (answers.length === 0) return skipped(id, 'no list answered')
  const said = answers.map(({ page }) => page.rateLimit).filter(limit => limit !== null)
  const limits = said.map(({ limit }) => limit).filter(limit => limit !== null)
  const limit = limits.length === 0 ? null : Math.min(...limits)
  if (limit === null) {
    return ok(id, `no headers; the source's own limit of ${requestsPerMinute} a minute counts`)
  }
  const remaining = said.map(rate => rate.remaining).filter(left => left !== null)
  const left = remaining.length === 0 ? '' : `, ${Math.min(...remaining)} left`
  const text = `the service says ${limit} a minute${left}; the source ${requestsPerMinute}`
  if (limit >= requestsPerMinute) return ok(id, text)
  const mend = `Polling keeps to the lower one by itself; to say so: bridge source update ${id} --requests-per-minute ${limit}.`
  return warning(id, text, mend)
}
