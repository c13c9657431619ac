import * as z from 'zod'
import { defineCommand } from '../command.ts'
import { exitDone } from '../exit-codes.ts'
import { show } from '../session.ts'
import { endpointJson, standingJson } from './endpoint-view.ts'
import { findEndpoint } from './find-endpoint.ts'
import { endpointIdArgument } from './inputs.ts'
import { renderEndpoint } from './render.ts'
import { readStanding } from './standing.ts'

export const showEndpoint = defineCommand({
  name: 'show',
  summary: 'An endpoint: its URL and settings, its key versions, and what stands for it',
  examples: [{ line: 'bridge endpoint show crm' }],
  input: z.object({ id: endpointIdArgument }),
  run: async ({ id }, session) => {
    const bridge = await session.open()
    const nowMs = session.clock.now()
    const endpoint = await findEndpoint(bridge, id)
    const standing = await readStanding(bridge, id, nowMs)
    show(session, {
      json: () => ({ ...endpointJson(endpoint), deliveries: standingJson(standing) }),
      text: look => renderEndpoint(look, { endpoint, standing, nowMs }),
    })
    return exitDone
  },
})
