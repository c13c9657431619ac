import * as z from 'zod'
import { mapBounded } from '../../../shared/adapters/bounded.ts'
import { defineCommand } from '../command.ts'
import { exitDone } from '../exit-codes.ts'
import { toggle } from '../input.ts'
import { show } from '../session.ts'
import { endpointJson, standingJson } from './endpoint-view.ts'
import { renderEndpoints } from './render.ts'
import { readStanding } from './standing.ts'

const endpointsAtOnce = 4

export const listEndpoints = defineCommand({
  name: 'list',
  summary: 'All endpoints, with what is waiting, held or dead for each',
  details:
    'Of a URL it shows the host alone, since paths may be secrets; bridge endpoint show tells the whole.',
  examples: [{ line: 'bridge endpoint list' }, { line: 'bridge endpoint list --removed --json' }],
  input: z.object({ removed: toggle('those that were removed as well') }),
  run: async ({ removed }, session) => {
    const bridge = await session.open()
    const nowMs = session.clock.now()
    const all = await bridge.endpoints.list()
    const shown = all.filter(({ state }) => state !== 'removed' || removed === true)
    const views = await mapBounded(shown, endpointsAtOnce, async endpoint => ({
      endpoint,
      standing: await readStanding(bridge, endpoint.id, nowMs),
    }))
    show(session, {
      json: () => ({
        endpoints: views.map(({ endpoint, standing }) => ({
          ...endpointJson(endpoint),
          deliveries: standingJson(standing),
        })),
      }),
      text: look => renderEndpoints(look, views),
    })
    return exitDone
  },
})
