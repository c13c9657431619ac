import * as z from 'zod'
import { exitNotConfirmed, isConfirmed } from '../asking.ts'
import { defineCommand } from '../command.ts'
import { exitDone } from '../exit-codes.ts'
import { counted } from '../output/texts.ts'
import { show } from '../session.ts'
import { findPresentEndpoint } from './find-endpoint.ts'
import { endpointIdArgument } from './inputs.ts'
import { ownSecretsOf } from './own-secrets.ts'
import { readStanding } from './standing.ts'

export const removeEndpoint = defineCommand({
  name: 'remove',
  summary: 'Remove an endpoint for good: what waits or is held for it is cancelled',
  details: 'Its own secrets go with it. Its id is not used again, since its keys follow from it.',
  examples: [{ line: 'bridge endpoint remove crm' }, { line: 'bridge endpoint remove crm --yes' }],
  confirms: true,
  input: z.object({ id: endpointIdArgument }),
  run: async ({ id }, session) => {
    const bridge = await session.open()
    const endpoint = await findPresentEndpoint(bridge, id)
    const { waiting, held } = await readStanding(bridge, id, session.clock.now())
    const unsettled = waiting.count + held.count
    const atLeast = waiting.atLeast || held.atLeast ? 'at least ' : ''
    const cancels =
      unsettled === 0 ? '' : ` This cancels ${atLeast}${counted(unsettled, 'delivery', 'deliveries')}.`
    if (!(await isConfirmed(session, `Remove the endpoint ${id} for good?${cancels}`)))
      return exitNotConfirmed
    await bridge.endpoints.setState({ id, state: 'removed', reason: null, atMs: session.clock.now() })
    for (const name of ownSecretsOf(endpoint)) await bridge.secretWriter.remove(name)
    show(session, {
      json: () => ({ id, removed: true, cancels: unsettled }),
      text: ({ colors }) => `${colors.green('Removed')} the endpoint ${id}.`,
    })
    return exitDone
  },
})
