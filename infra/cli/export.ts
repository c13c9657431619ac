import * as z from 'zod'
import { defineCommand } from './command.ts'
import { declarationOf, writeDeclared } from './declared/write-file.ts'
import { showHeadersFlag } from './endpoint/inputs.ts'
import { exitDone } from './exit-codes.ts'
import { show } from './session.ts'

export const exportCommand = defineCommand({
  name: 'export',
  summary: 'Write the sources and endpoints that there are as a file for bridge apply',
  details:
    'No secrets are in it: no API tokens, no signing keys, no authorizations; and of headers the names alone, unless\n' +
    '--show-headers is given. Applied to the same bridge it changes nothing; applied to a new one it makes the same\n' +
    'sources and endpoints, with keys of their own; the values of headers it needs then.',
  examples: [
    { line: 'bridge export > bridge.yaml' },
    {
      line: 'bridge export --stack feedback-bridge --json',
      text: 'The same as JSON, which apply takes as well.',
    },
  ],
  input: z.object({ 'show-headers': showHeadersFlag }),
  run: async (input, session) => {
    const shown = { showsHeaders: input['show-headers'] === true }
    const bridge = await session.open()
    const [sources, endpoints] = await Promise.all([bridge.sources.list(), bridge.endpoints.list()])
    const current = { sources, endpoints }
    show(session, { json: () => declarationOf(current, shown), text: () => writeDeclared(current, shown) })
    return exitDone
  },
})
