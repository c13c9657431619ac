import type { DeadLetterSelection } from '../../../shared/domain/replay/dead-letter-selection.ts'
import { endpointFlag, isEventId, timeFlags } from '../events/inputs.ts'
import { optional, toggle } from '../input.ts'
import { checked, domainsValue, listOf, sharedValues } from '../values.ts'

const reasonsValue = checked<string[]>(text => {
  const reasons = listOf(text)
  if (reasons.every(reason => /^[a-z0-9_]+\*?$/.test(reason))) return { value: reasons }
  return { problem: 'must be reasons, as http_503,timeout, or their beginnings, as http_5*' }
})

const idsMax = 1_000

const idsValue = checked<string[]>(text => {
  const ids = listOf(text)
  if (ids.length <= idsMax && ids.every(isEventId)) return { value: ids }
  return { problem: `must be event ids with commas between them, at most ${idsMax}` }
})

/** Which dead letters; the same for all commands on them. */
export const deadLetterFlags = {
  endpoint: endpointFlag,
  types: optional(sharedValues.types, {
    value: 'LIST',
    text: 'of events of these types alone, as email.bounce.hard,email.complaint or email.bounce.*',
  }),
  ...timeFlags,
  reason: optional(reasonsValue, {
    value: 'LIST',
    text: 'given up for these reasons alone, as timeout,http_5*',
  }),
  'recipient-domains': optional(domainsValue, {
    value: 'LIST',
    text: 'of mail to these domains alone, as example.com',
  }),
  ids: optional(idsValue, { value: 'LIST', text: 'of these events alone' }),
}

export type AskedDeadLetters = {
  types?: readonly string[] | undefined
  reason?: readonly string[] | undefined
  'recipient-domains'?: readonly string[] | null | undefined
}

export const selectionOf = (asked: AskedDeadLetters): DeadLetterSelection => ({
  types: asked.types ?? null,
  reasons: asked.reason ?? null,
  recipientDomains: asked['recipient-domains'] ?? null,
})

/** Whether any of the flags that choose was given. */
export const choosesAny = (asked: Readonly<Record<string, unknown>>): boolean =>
  Object.keys(deadLetterFlags).some(name => asked[name] !== undefined)

/** Without it, a command that changes dead letters must say which. */
export const everyFlag = toggle('every dead letter')
export const everyError = 'say which dead letters, or --all for every one; --dry-run counts them'

export const dryRunFlag = toggle('count what would be done, and do nothing')

const [rateMin, rateMax] = [0.1, 1_000]
export const rateDefault = 10

export const rateFlag = optional(
  checked<number>(text => {
    const rate = /^\d{1,4}(\.\d{1,3})?$/.test(text) ? Number(text) : 0
    const fits = rate >= rateMin && rate <= rateMax
    return fits ? { value: rate } : { problem: `must be a number from ${rateMin} to ${rateMax}` }
  }),
  { value: 'N', text: `deliveries a second (default ${rateDefault})` },
)
