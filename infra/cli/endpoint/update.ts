import * as z from 'zod'
import type { Endpoint } from '../../../shared/domain/endpoint/endpoint.ts'
import { defineCommand } from '../command.ts'
import { exitDone } from '../exit-codes.ts'
import { UsageError } from '../failures.ts'
import { optional, toggle } from '../input.ts'
import type { Look } from '../output/look.ts'
import { renderTable } from '../output/table.ts'
import { counted } from '../output/texts.ts'
import { show } from '../session.ts'
import type { OperatorBridge } from '../target/operator-bridge.ts'
import { checkAddresses, checkAllowPrivate, checkUrl } from './check-url.ts'
import { endpointJson } from './endpoint-view.ts'
import { findPresentEndpoint } from './find-endpoint.ts'
import { allowPrivateFlag, endpointIdArgument, subscriptionFlags } from './inputs.ts'
import { type MatchPreview, previewedEventsMax, previewMatches } from './match-preview.ts'
import { renderEndpoint } from './render.ts'
import { readStanding } from './standing.ts'

const input = z.object({
  id: endpointIdArgument,
  url: optional(z.string(), { value: 'URL', text: 'where events are sent from now on' }),
  ...subscriptionFlags,
  'dry-run': toggle(`change nothing, and say how many of the last ${previewedEventsMax} events would match`),
  'allow-private-endpoints': allowPrivateFlag,
  'skip-dns': toggle('take a URL whose host has no address yet'),
})
type Given = z.output<typeof input>

/** Only what was given is changed. */
const changed = (endpoint: Endpoint, given: Given, url: string | null): Endpoint => ({
  ...endpoint,
  url: url ?? endpoint.url,
  types: given.types ?? endpoint.types,
  filters: {
    senderDomains: orBefore(given['sender-domains'], endpoint.filters.senderDomains),
    recipientDomains: orBefore(given['recipient-domains'], endpoint.filters.recipientDomains),
    bounceCategories: orBefore(given['bounce-categories'], endpoint.filters.bounceCategories),
    sources: orBefore(given.sources, endpoint.filters.sources),
  },
})

/** Null is a filter that is cleared. */
const orBefore = <T>(given: T | undefined, before: T): T => (given === undefined ? before : given)

const checkedUrl = async (given: Given): Promise<string | null> => {
  if (given.url === undefined) return null
  const allowPrivate = given['allow-private-endpoints'] === true
  const url = checkUrl(given.url, { allowPrivate })
  if (given['skip-dns'] !== true) await checkAddresses(url, { allowPrivate })
  return url.href
}

const isAnythingGiven = (given: Given): boolean =>
  [
    given.url,
    given.types,
    given['sender-domains'],
    given['recipient-domains'],
    given['bounce-categories'],
    given.sources,
  ].some(value => value !== undefined)

export const updateEndpoint = defineCommand({
  name: 'update',
  summary: 'Change the URL of an endpoint, or which events it gets',
  details:
    'Only what is given changes. It holds for what is read from now on, within seconds; what waits goes to the new URL.\n' +
    'An endpoint that npm start names gets the types of its flags again at the next start.',
  examples: [
    { line: 'bridge endpoint update crm --types email.bounce.*,email.complaint' },
    { line: 'bridge endpoint update crm --sender-domains news.example.com --dry-run' },
    { line: 'bridge endpoint update crm --sender-domains any --bounce-categories bad-mailbox' },
  ],
  input,
  run: async (given, session) => {
    if (!isAnythingGiven(given)) {
      throw new UsageError(['nothing to change: give at least one flag; --help lists them'])
    }
    const url = await checkedUrl(given)
    const bridge = await session.open()
    checkAllowPrivate(bridge.target, given['allow-private-endpoints'] === true)
    const before = await findPresentEndpoint(bridge, given.id)
    const after = changed(before, given, url)
    const nowMs = session.clock.now()
    if (given['dry-run'] === true) {
      const preview = await previewMatches(bridge, { before, after, nowMs })
      show(session, {
        json: () => ({ id: given.id, dryRun: true, endpoint: endpointJson(after), ...preview }),
        text: look => renderPreview(look, given.id, preview),
      })
      return exitDone
    }
    await put(bridge, after)
    const standing = await readStanding(bridge, after.id, nowMs)
    show(session, {
      json: () => endpointJson(after),
      text: look => renderEndpoint(look, { endpoint: after, standing, nowMs }),
    })
    return exitDone
  },
})

/** A 410 that came meanwhile is not undone: the state is that of now. */
const put = async (bridge: OperatorBridge, after: Endpoint): Promise<void> => {
  const { state, stateReason, keys } = await findPresentEndpoint(bridge, after.id)
  await bridge.endpoints.put({ ...after, state, stateReason, keys })
}

const renderPreview = (look: Look, id: string, preview: MatchPreview): string => {
  const { events, before, after, byType } = preview
  if (events === 0) return 'There are no events in the log yet. Nothing was changed.'
  const rows = byType.map(count => [count.type, ...[count.events, count.before, count.after].map(String)])
  const columns = [
    { title: 'TYPE' },
    { title: 'EVENTS', align: 'right' },
    { title: 'MATCH NOW', align: 'right' },
    { title: 'WOULD MATCH', align: 'right' },
  ] as const
  const summary = `Of the last ${counted(events, 'event')}, ${id} matches ${before} now, and would match ${after}. Nothing was changed.`
  return `${summary}\n\n${renderTable(look, columns, rows)}`
}
