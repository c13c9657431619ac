import * as z from 'zod'
import { defineCommand } from '../command.ts'
import { exitDone } from '../exit-codes.ts'
import { show } from '../session.ts'
import { findSource } from './find-source.ts'
import { sourceIdArgument } from './inputs.ts'
import { renderSource } from './render.ts'
import { sourceJson, viewSource } from './source-view.ts'

export const showSource = defineCommand({
  name: 'show',
  summary: 'A source: its settings, and where the reading of its streams stands',
  examples: [{ line: 'bridge source show main' }],
  input: z.object({ id: sourceIdArgument }),
  run: async ({ id }, session) => {
    const bridge = await session.open()
    const view = await viewSource(bridge, await findSource(bridge, id))
    show(session, {
      json: () => sourceJson(view),
      text: look => renderSource(look, view, session.clock.now()),
    })
    return exitDone
  },
})
