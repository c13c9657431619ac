import * as z from 'zod'
import type { Source } from '../../../shared/domain/source.ts'
import { defineCommand } from '../command.ts'
import { exitDone } from '../exit-codes.ts'
import { UsageError } from '../failures.ts'
import { optional } from '../input.ts'
import { show } from '../session.ts'
import { sharedValues } from '../values.ts'
import { findSource } from './find-source.ts'
import { pollingFlags, sourceIdArgument } from './inputs.ts'
import { renderSource } from './render.ts'
import { sourceJson, viewSource } from './source-view.ts'

const input = z.object({
  id: sourceIdArgument,
  url: optional(sharedValues['source-url'], {
    value: 'URL',
    text: 'where the same account is asked from now on',
  }),
  ...pollingFlags,
})

/** Only what was given is changed. */
const changesOf = (given: z.output<typeof input>): Partial<Source> => ({
  ...(given.url !== undefined && { baseUrl: given.url }),
  ...(given['path-prefix'] !== undefined && { pathPrefix: given['path-prefix'] }),
  ...(given['auth-scheme'] !== undefined && { authScheme: given['auth-scheme'] }),
  ...(given['include-soft'] !== undefined && { includeSoft: given['include-soft'] }),
  ...(given['page-size'] !== undefined && { pageSize: given['page-size'] }),
  ...(given['poll-every'] !== undefined && { pollEverySeconds: given['poll-every'] }),
  ...(given.overlap !== undefined && { overlapSeconds: given.overlap }),
  ...(given['requests-per-minute'] !== undefined && { requestsPerMinute: given['requests-per-minute'] }),
})

export const updateSource = defineCommand({
  name: 'update',
  summary: 'Change how a source is polled',
  details:
    'Only what is given changes, within minutes. A source that npm start names gets its flags again at the next start.',
  examples: [
    { line: 'bridge source update main --include-soft yes' },
    { line: 'bridge source update main --poll-every 30 --requests-per-minute 120 --stack feedback-bridge' },
  ],
  input,
  run: async (given, session) => {
    const changes = changesOf(given)
    if (Object.keys(changes).length === 0) {
      throw new UsageError(['nothing to change: give at least one flag; --help lists them'])
    }
    const bridge = await session.open()
    const source = { ...(await findSource(bridge, given.id)), ...changes }
    await bridge.sources.put(source)
    const view = await viewSource(bridge, source)
    show(session, {
      json: () => sourceJson(view),
      text: look => renderSource(look, view, session.clock.now()),
    })
    return exitDone
  },
})
