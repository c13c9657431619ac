import * as z from 'zod'
import { defineCommand } from './command.ts'
import { exitDone } from './exit-codes.ts'
import { toggle } from './input.ts'
import { createSearching } from './output/searching.ts'
import { show } from './session.ts'
import { readStatus } from './status/read-status.ts'
import { endpointsShownMax, renderStatus } from './status/render.ts'
import { statusJson } from './status/status-json.ts'

/** One screen about everything. */
export const statusCommand = defineCommand({
  name: 'status',
  summary: 'One screen: sources, endpoints, queues, and what is not as it should be',
  details:
    'Complete walks are written down about once a minute, so that the lag is what it is at most. The bars of a source are\n' +
    'its events of the last day, three hours each, by the records’ time; those of an endpoint its newest deliveries, the\n' +
    'oldest of them on the left, a full bar where all are delivered. A point stands where nothing is known. OLDEST is the\n' +
    'oldest event that waits or is held.',
  examples: [{ line: 'bridge status' }, { line: 'bridge status --json --stack feedback-bridge' }],
  input: z.object({ all: toggle(`all endpoints, where there are more than ${endpointsShownMax}`) }),
  run: async ({ all }, session) => {
    const bridge = await session.open()
    const searching = createSearching(session, 'endpoints')
    const status = await readStatus(bridge, { nowMs: session.clock.now(), onLooked: searching.looked })
    searching.end()
    show(session, {
      json: () => statusJson(status),
      text: look => renderStatus(look, status, { all: all === true }),
    })
    return exitDone
  },
})
