import * as z from 'zod'
import type { Source } from '../../../shared/domain/source.ts'
import { defineCommand } from '../command.ts'
import { sourceOf } from '../declared/settings.ts'
import { exitDone } from '../exit-codes.ts'
import { RefusedError } from '../failures.ts'
import { argument, needed, optional, toggle } from '../input.ts'
import { show } from '../session.ts'
import type { OperatorBridge } from '../target/operator-bridge.ts'
import { idValue, sharedValues } from '../values.ts'
import { pollingFlags } from './inputs.ts'
import { sourceJson } from './source-view.ts'
import { keepToken, readToken } from './token-input.ts'

export const addSource = defineCommand({
  name: 'add',
  summary: 'Add an account at the email service; its API token comes from standard input or a prompt',
  details:
    'The ids of its events follow from the id of the source, so that the id stays for good. Polling begins within a\n' +
    'minute. A source that was removed goes on where it stood if it is added again under the same id.',
  examples: [
    { line: 'bridge source add main --url https://api.example.com', text: 'Asks for the token.' },
    {
      line: 'bridge source add main --url https://api.example.com --include-soft yes --stack feedback-bridge < token.txt',
    },
    {
      line: 'bridge source add old --url https://api.example.com --start-at 2026-01-31 --paused < token.txt',
    },
  ],
  input: z.object({
    id: argument(idValue, { value: 'ID', text: 'a short name for it, as main' }),
    url: needed(sharedValues['source-url'], {
      value: 'URL',
      text: 'scheme, host and port of the email service, as https://api.example.com',
    }),
    'start-at': optional(sharedValues['start-at'], {
      value: 'TIME',
      text: 'where the first walk begins: latest (default), earliest, or an ISO time',
    }),
    ...pollingFlags,
    paused: toggle('do not poll it until bridge source resume'),
  }),
  run: async (input, session) => {
    const bridge = await session.open({ make: true })
    const { id } = input
    if ((await bridge.sources.read(id)) !== null) {
      throw new RefusedError({
        code: 'source_exists',
        message: `there is a source "${id}" already`,
        hint: 'Change it by bridge source update, or choose another id.',
      })
    }
    const token = await readToken(session)
    const source = sourceOf(id, input, null)
    // The token first: a poller that finds the source finds its token.
    await keepToken(bridge, source, token)
    const twin = (await bridge.sources.list()).find(isAt(source))
    await bridge.sources.put(source)
    const view = { source, cursors: { bounces: null, complaints: null } }
    show(session, {
      json: () => sourceJson(view),
      text: ({ colors }) =>
        `${colors.green('Added')} the source ${id}; ${input.paused ? 'it is paused: bridge source resume starts it.' : beginOf(bridge)}`,
    })
    if (twin !== undefined) {
      session.io.note(
        `Beware: the source ${twin.id} has the same address. Of the same account each record comes twice; then pause or remove one.`,
      )
    }
    if (input.url.startsWith('http:') && bridge.target.kind === 'stack') {
      session.io.note('Beware: it is asked over http, so that its token can be read on the way; use https.')
    }
    return exitDone
  },
})

const beginOf = ({ target }: OperatorBridge): string =>
  target.kind === 'local' && !target.isRunning
    ? `npm start -- --data ${target.dataDir} polls it.`
    : 'polling begins within a minute.'

/** Whether another source is asked at the same address, of another account or, by mistake, of the same. */
const isAt =
  (one: Source) =>
  (other: Source): boolean =>
    new URL(one.baseUrl).origin === new URL(other.baseUrl).origin && one.pathPrefix === other.pathPrefix
