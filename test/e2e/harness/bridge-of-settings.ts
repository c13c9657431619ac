// A bridge in a process of its own, as `npm start` runs it, with settings that its flags can't express: endpoints with
// types of their own. The settings come as JSON in BRIDGE_SETTINGS; it tells what `--json` does.
import { createJsonLines } from '../../../infra/local/json-lines.ts'
import { runBridge } from '../../../infra/local/run-bridge.ts'
import type { BridgeSettings } from '../../../infra/local/settings.ts'
import { systemClock } from '../../../shared/adapters/system-clock.ts'

const settings: BridgeSettings = JSON.parse(process.env['BRIDGE_SETTINGS'] ?? '')
const lines = createJsonLines(process.stdout, systemClock)
const stopping = new AbortController()
process.on('SIGINT', () => stopping.abort())
process.exitCode = await runBridge(settings, {
  signal: stopping.signal,
  output: {
    tell: line => process.stderr.write(`${line}\n`),
    warn: line => process.stderr.write(`${line}\n`),
    reporter: lines,
    admission: () => lines.admission(),
  },
})
await lines.flush()
