import * as z from 'zod'
import { defineCommand } from '../command.ts'
import { exitDone } from '../exit-codes.ts'
import { show } from '../session.ts'
import { renderSources } from './render.ts'
import { sourceJson, viewSource } from './source-view.ts'

export const listSources = defineCommand({
  name: 'list',
  summary: 'All sources, with when each stream was last read to its end',
  examples: [{ line: 'bridge source list' }, { line: 'bridge source list --json --stack feedback-bridge' }],
  input: z.object({}),
  run: async (_input, session) => {
    const bridge = await session.open()
    const sources = await bridge.sources.list()
    const views = await Promise.all(sources.map(source => viewSource(bridge, source)))
    show(session, {
      json: () => ({ sources: views.map(sourceJson) }),
      text: look => renderSources(look, views, session.clock.now()),
    })
    return exitDone
  },
})
