import * as z from 'zod'
import { defineCommand } from '../command.ts'
import { exitDone } from '../exit-codes.ts'
import { show } from '../session.ts'
import { endpointJson, standingJson } from './endpoint-view.ts'
import { findEndpoint } from './find-endpoint.ts'
import { endpointIdArgument, showHeadersFlag } from './inputs.ts'
import { renderEndpoint } from './render.ts'
import { readStanding } from './standing.ts'

export const showEndpoint = defineCommand({
  name: 'show',
  summary: 'An endpoint: its URL and settings, its key versions, its health, and what stands for it',
  details:
    'The values of its headers may be secrets: they are shown with --show-headers alone. What it is asked with never is.',
  examples: [{ line: 'bridge endpoint show crm' }],
  input: z.object({ id: endpointIdArgument, 'show-headers': showHeadersFlag }),
  run: async (input, session) => {
    const { id } = input
    const showsHeaders = input['show-headers'] === true
    const bridge = await session.open()
    const nowMs = session.clock.now()
    const endpoint = await findEndpoint(bridge, id)
    const standing = await readStanding(bridge, id, nowMs)
    show(session, {
      json: () => ({ ...endpointJson(endpoint, { showsHeaders }), deliveries: standingJson(standing) }),
      text: look => renderEndpoint(look, { endpoint, standing, nowMs, showsHeaders }),
    })
    return exitDone
  },
})
