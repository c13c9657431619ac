import * as z from 'zod'
import { defineCommand } from '../command.ts'
import { exitDone } from '../exit-codes.ts'
import { show } from '../session.ts'
import { findSource } from './find-source.ts'
import { sourceIdArgument } from './inputs.ts'
import { keepToken, readToken } from './token-input.ts'

export const setSourceToken = defineCommand({
  name: 'token',
  summary: 'Give a source a new API token, from standard input or a prompt',
  details:
    'Never from the command line, which others can see and the shell remembers. It is taken up within minutes.',
  examples: [
    { line: 'bridge source token main', text: 'Asks for it.' },
    { line: 'bridge source token main --stack feedback-bridge < token.txt' },
  ],
  input: z.object({ id: sourceIdArgument }),
  run: async ({ id }, session) => {
    const bridge = await session.open()
    const source = await findSource(bridge, id)
    await keepToken(bridge, source, await readToken(session))
    show(session, {
      json: () => ({ id, token: 'kept' }),
      text: ({ colors }) => `${colors.green('Kept')} the new token of ${id}.`,
    })
    return exitDone
  },
})
