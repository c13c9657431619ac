import * as z from 'zod'
import { defineCommand } from './command.ts'
import { declarationOf, writeDeclared } from './declared/write-file.ts'
import { exitDone } from './exit-codes.ts'
import { show } from './session.ts'

export const exportCommand = defineCommand({
  name: 'export',
  summary: 'Write the sources and endpoints that there are as a file for bridge apply',
  details:
    'No secrets are in it: no API tokens, no signing keys. Applied to the same bridge it changes nothing; applied to a\n' +
    'new one it makes the same sources and endpoints, with keys of their own.',
  examples: [
    { line: 'bridge export > bridge.yaml' },
    {
      line: 'bridge export --stack feedback-bridge --json',
      text: 'The same as JSON, which apply takes as well.',
    },
  ],
  input: z.object({}),
  run: async (_input, session) => {
    const bridge = await session.open()
    const [sources, endpoints] = await Promise.all([bridge.sources.list(), bridge.endpoints.list()])
    const current = { sources, endpoints }
    show(session, { json: () => declarationOf(current), text: () => writeDeclared(current) })
    return exitDone
  },
})
