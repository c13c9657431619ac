import * as z from 'zod'
import { defineCommand } from '../command.ts'
import { rateDefault, rateFlag } from '../dlq/inputs.ts'
import { endpointFlag, eventIdValue, rangeOf, sourceFlag, streamFlag, timeFlags } from '../events/inputs.ts'
import { argument, toggle } from '../input.ts'
import { idValue } from '../values.ts'
import { statesFlag } from './inputs.ts'
import { retryMany } from './retry-many.ts'
import { retryOne } from './retry-one.ts'
import { betterCommands, retriedStates } from './retry-rules.ts'

const input = z
  .object({
    event: argument(eventIdValue.optional(), { value: 'EVENT', text: "the event's id" }),
    to: argument(idValue.optional(), { value: 'ENDPOINT', text: "the endpoint's id" }),
    state: statesFlag(retriedStates),
    endpoint: endpointFlag,
    ...timeFlags,
    source: sourceFlag,
    stream: streamFlag,
    rate: rateFlag,
    'dry-run': toggle('say what would be done, and do nothing'),
  })
  .superRefine((given, context) => {
    for (const message of problemsOf(given)) context.addIssue({ code: 'custom', message })
  })

const manyFlags = ['state', 'endpoint', 'since', 'until', 'source', 'stream', 'rate'] as const

type Given = { [name in (typeof manyFlags)[number] | 'event' | 'to']?: unknown } & {
  state?: readonly (keyof typeof betterCommands | (typeof retriedStates)[number])[] | undefined
}

const problemsOf = (given: Given): string[] => {
  if (given.event !== undefined) {
    const strays = manyFlags.filter(name => given[name] !== undefined).map(name => `--${name}`)
    const missing = given.to === undefined ? ['ENDPOINT: is missing; the id of the endpoint'] : []
    return [...missing, ...strays.map(flag => `${flag}: does not belong to one delivery`)]
  }
  if (given.state === undefined) return ['say which: EVENT and ENDPOINT of one delivery, or --state of many']
  return given.state.flatMap(state => {
    if (state === 'waiting' || state === 'cancelled') return []
    return [`--state: must be ${retriedStates.join(' or ')}; ${betterCommands[state]}`]
  })
}

export const retryDelivery = defineCommand({
  name: 'retry',
  summary: 'Try a delivery again in a new round, or all that wait or were cancelled',
  details: `Sets deliveries to waiting for the first attempt of their next round; it sends nothing itself: the releaser does, within a
minute or so, and the retry schedule begins anew. One that was delivered or cancelled is sent again only if you say so. Of
many, the oldest event is due first, --rate a second; after an interruption the same command goes on.

An endpoint that is back after hours need not wait for the schedule: --endpoint crm --state waiting.`,
  examples: [
    { line: 'bridge deliveries retry evt_01K5M3V8Q00123456789ABCDEF crm' },
    { line: 'bridge deliveries retry --endpoint crm --state waiting --rate 20' },
    { line: 'bridge deliveries retry --endpoint crm --state cancelled --since 1d --dry-run' },
  ],
  confirms: true,
  input,
  run: async (given, session) => {
    const isDryRun = given['dry-run'] === true
    const { event, to, state } = given
    if (event !== undefined && to !== undefined) {
      return retryOne({ eventId: event, endpointId: to }, { isDryRun }, session)
    }
    const range = rangeOf(given, session.clock.now())
    const selection = { ...given, states: state ?? retriedStates }
    return retryMany({ selection, range, ratePerSecond: given.rate ?? rateDefault, isDryRun }, session)
  },
})
