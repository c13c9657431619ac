import * as z from 'zod'
import { defineCommand } from '../command.ts'
import { exitDone } from '../exit-codes.ts'
import { show } from '../session.ts'
import { endpointJson } from './endpoint-view.ts'
import { findEndpoint, findPresentEndpoint } from './find-endpoint.ts'
import { endpointIdArgument } from './inputs.ts'

export const disableEndpoint = defineCommand({
  name: 'disable',
  summary: 'Send nothing more to an endpoint; what is for it is held until it is enabled',
  details: 'Within seconds. What is held expires with its event, 35 days after it was read.',
  examples: [{ line: 'bridge endpoint disable crm' }],
  input: z.object({ id: endpointIdArgument }),
  run: async ({ id }, session) => {
    const bridge = await session.open()
    await findPresentEndpoint(bridge, id)
    await bridge.endpoints.setState({
      id,
      state: 'disabled',
      reason: 'endpoint_disabled',
      atMs: session.clock.now(),
    })
    const endpoint = await findEndpoint(bridge, id)
    show(session, {
      json: () => endpointJson(endpoint),
      text: () => `${id} is disabled: what is for it is held. bridge endpoint enable ends that.`,
    })
    return exitDone
  },
})
