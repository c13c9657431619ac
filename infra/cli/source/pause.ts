import * as z from 'zod'
import type { Source } from '../../../shared/domain/source.ts'
import { type Command, defineCommand } from '../command.ts'
import { exitDone } from '../exit-codes.ts'
import { show } from '../session.ts'
import { findSource } from './find-source.ts'
import { sourceIdArgument } from './inputs.ts'
import { sourceJson, viewSource } from './source-view.ts'

const setting = (of: {
  name: string
  summary: string
  details: string
  state: Source['state']
  done: string
}): Command =>
  defineCommand({
    name: of.name,
    summary: of.summary,
    details: of.details,
    examples: [{ line: `bridge source ${of.name} main` }],
    input: z.object({ id: sourceIdArgument }),
    run: async ({ id }, session) => {
      const bridge = await session.open()
      const source = { ...(await findSource(bridge, id)), state: of.state }
      await bridge.sources.put(source)
      const view = await viewSource(bridge, source)
      show(session, { json: () => sourceJson(view), text: () => `${id}: ${of.done}` })
      return exitDone
    },
  })

export const pauseSource = setting({
  name: 'pause',
  summary: 'Poll a source no more, until it is resumed',
  details:
    'Nothing is lost while the service keeps its records, 30 days at most; what was enqueued is still delivered.',
  state: 'paused',
  done: 'paused within minutes; bridge source resume goes on where it stands.',
})

export const resumeSource = setting({
  name: 'resume',
  summary: 'Poll a source again, from where it stood',
  details: 'What came meanwhile is read first.',
  state: 'active',
  done: 'polled again within a minute.',
})
