import * as z from 'zod'
import { type Source, streamNames } from '../../../shared/domain/source.ts'
import { exitNotConfirmed, isConfirmed } from '../asking.ts'
import { defineCommand } from '../command.ts'
import { exitDone } from '../exit-codes.ts'
import { RefusedError } from '../failures.ts'
import { show } from '../session.ts'
import type { OperatorBridge } from '../target/operator-bridge.ts'
import { findSource } from './find-source.ts'
import { sourceIdArgument } from './inputs.ts'

/**
 * Reconcile goes by the sources that there are: what a source enqueued lately must have been compared before it goes, or
 * a message that got lost would never be missed.
 */
const refuseEarly = async ({ marks }: OperatorBridge, source: Source): Promise<void> => {
  if (source.state === 'active') {
    throw new RefusedError({
      code: 'source_active',
      message: `the source "${source.id}" is being polled`,
      hint: `Pause it first: bridge source pause ${source.id}.`,
    })
  }
  for (const stream of streamNames) {
    const [mark] = await marks.list({ sourceId: source.id, stream, fromHour: 0, limit: 1 })
    if (mark === undefined) continue
    throw new RefusedError({
      code: 'source_not_reconciled',
      message: `what the source "${source.id}" read lately has not been compared with its deliveries yet`,
      hint: 'Try again in two or three hours: reconcile runs every hour; locally, while the bridge runs.',
    })
  }
}

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
    await refuseEarly(bridge, source)
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
