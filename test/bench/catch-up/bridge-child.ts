import * as z from 'zod'
import { readCommandLine } from '../../../infra/local/flags.ts'
import { runBridge } from '../../../infra/local/run-bridge.ts'

/**
 * The bridge with emulators in another process, so that it is weighed alone. Arguments: the emulators as JSON, then the
 * flags of `npm start`.
 */
const emulatorsSchema = z.object({
  dynamodb: z.object({ endpoint: z.string(), tableName: z.string() }),
  sqs: z.object({ endpoint: z.string() }),
  queueUrls: z.object({ fast: z.string(), slow: z.string(), deadLetters: z.string() }),
})
const [json = '', ...flags] = process.argv.slice(2)
const asked = readCommandLine(flags, {})
if (asked.kind !== 'bridge') throw new Error('the flags are wrong')
const stopping = new AbortController()
process.on('disconnect', () => stopping.abort())
process.exitCode = await runBridge(asked.settings, {
  signal: stopping.signal,
  emulators: emulatorsSchema.parse(JSON.parse(json)),
  output: {
    tell: () => {},
    warn: line => console.error(line),
    reporter: null,
    admission: () => Promise.resolve(),
  },
})
