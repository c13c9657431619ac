import * as z from 'zod'
import { defineCommand } from '../command.ts'
import { exitDone } from '../exit-codes.ts'
import { UsageError } from '../failures.ts'
import { optional, toggle } from '../input.ts'
import type { Look } from '../output/look.ts'
import { renderTable } from '../output/table.ts'
import { counted } from '../output/texts.ts'
import { show } from '../session.ts'
import { changedSettings } from './changed-settings.ts'
import { checkAddresses, checkAllowPrivate, checkUrl } from './check-url.ts'
import { endpointJson } from './endpoint-view.ts'
import { findPresentEndpoint } from './find-endpoint.ts'
import { allowPrivateFlag, endpointIdArgument, settingFlags } from './inputs.ts'
import { type MatchPreview, previewedEventsMax, previewMatches } from './match-preview.ts'
import { renderEndpoint } from './render.ts'
import { readStanding } from './standing.ts'

const input = z.object({
  id: endpointIdArgument,
  url: optional(z.string(), { value: 'URL', text: 'where events are sent from now on' }),
  ...settingFlags,
  'remove-header': optional(z.array(z.string()), {
    value: 'NAME',
    text: 'a header to leave out from now on; may be given again',
    repeats: true,
  }),
  'dry-run': toggle(`change nothing, and say how many of the last ${previewedEventsMax} events would match`),
  'allow-private-endpoints': allowPrivateFlag,
  'skip-dns': toggle('take a URL whose host has no address yet'),
})
type Given = z.output<typeof input>

const checkedUrl = async (given: Given): Promise<string | null> => {
  if (given.url === undefined) return null
  const allowPrivate = given['allow-private-endpoints'] === true
  const url = checkUrl(given.url, { allowPrivate })
  if (given['skip-dns'] !== true) await checkAddresses(url, { allowPrivate })
  return url.href
}

/** How it is done, not what is changed. */
const otherNames: ReadonlySet<string> = new Set(['id', 'dry-run', 'allow-private-endpoints', 'skip-dns'])

const isAnythingGiven = (given: Given): boolean =>
  Object.entries(given).some(([name, value]) => value !== undefined && !otherNames.has(name))

export const updateEndpoint = defineCommand({
  name: 'update',
  summary: 'Change the URL of an endpoint, which events it gets, or how',
  details:
    'Only what is given changes. It holds for what is read from now on, within seconds; what waits goes to the new URL.\n' +
    'An endpoint that npm start names gets the types of its flags again at the next start.',
  examples: [
    { line: 'bridge endpoint update crm --types email.bounce.*,email.complaint' },
    { line: 'bridge endpoint update crm --sender-domains news.example.com --dry-run' },
    { line: 'bridge endpoint update crm --sender-domains any --bounce-categories bad-mailbox' },
    { line: 'bridge endpoint update crm --max-per-second 20 --heartbeat-every 5m' },
    { line: 'bridge endpoint update crm --remove-header x-tenant --max-in-flight any' },
  ],
  input,
  run: async (given, session) => {
    if (!isAnythingGiven(given)) {
      throw new UsageError(['nothing to change: give at least one flag; --help lists them'])
    }
    const url = await checkedUrl(given)
    const bridge = await session.open()
    checkAllowPrivate(bridge.target, given['allow-private-endpoints'] === true)
    // Read just before it is put: a rotation or an authorization that came meanwhile is not undone.
    const before = await findPresentEndpoint(bridge, given.id)
    const after = changedSettings(before, given, url)
    const nowMs = session.clock.now()
    if (given['dry-run'] === true) {
      const preview = await previewMatches(bridge, { before, after, nowMs })
      show(session, {
        json: () => ({ id: given.id, dryRun: true, endpoint: endpointJson(after), ...preview }),
        text: look => renderPreview(look, given.id, preview),
      })
      return exitDone
    }
    await bridge.endpoints.put(after)
    const standing = await readStanding(bridge, after.id, nowMs)
    show(session, {
      json: () => endpointJson(after),
      text: look => renderEndpoint(look, { endpoint: after, standing, nowMs }),
    })
    return exitDone
  },
})

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
