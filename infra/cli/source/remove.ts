import * as z from 'zod'
import { exitNotConfirmed, isConfirmed } from '../asking.ts'
import { defineCommand } from '../command.ts'
import { exitDone } from '../exit-codes.ts'
import { RefusedError } from '../failures.ts'
import { show } from '../session.ts'
import { findSource } from './find-source.ts'
import { sourceIdArgument } from './inputs.ts'
import { removalRefusal } from './removal-refusal.ts'

export const removeSource = defineCommand({
  name: 'remove',
  summary: 'Forget a source and its API token',
  details:
    'It must have been paused for two or three hours. Its events stay in the log and are still delivered; where its\n' +
    'reading stood is kept, so that it goes on from there if it is added again under the same id.',
  examples: [{ line: 'bridge source remove old' }, { line: 'bridge source remove old --yes' }],
  confirms: true,
  input: z.object({ id: sourceIdArgument }),
  run: async ({ id }, session) => {
    const bridge = await session.open()
    const source = await findSource(bridge, id)
    const refusal = await removalRefusal(bridge, source, `the source "${id}"`)
    if (refusal !== null) throw new RefusedError(refusal)
    if (!(await isConfirmed(session, `Remove the source ${id} and its API token?`))) return exitNotConfirmed
    await bridge.sources.remove(id)
    await bridge.secretWriter.remove(source.tokenSecret)
    show(session, {
      json: () => ({ id, removed: true }),
      text: ({ colors }) => `${colors.green('Removed')} the source ${id} and its API token.`,
    })
    return exitDone
  },
})
