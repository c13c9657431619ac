import { BridgeError } from '../../../shared/domain/bridge-error.ts'
import type { Clock } from '../../../shared/domain/clock.ts'
import type { Source } from '../../../shared/domain/source.ts'
import { failureOf } from '../failures.ts'
import type { OperatorBridge } from '../target/operator-bridge.ts'
import { type Check, type CheckContext, type Finding, type Found, failed, ok } from './check.ts'
import { clockSkewCheck } from './clock-skew.ts'
import { contactsKeyCheck } from './contacts-key.ts'
import { deadLettersCheck } from './dead-letters.ts'
import { endpointsCheck } from './endpoints.ts'
import { lastIdCheck } from './last-id.ts'
import { orderCheck } from './order.ts'
import { probeSource, type SourceProbe } from './probe-source.ts'
import { queuesCheck } from './queues.ts'
import { rateLimitCheck } from './rate-limit.ts'
import { schedulesCheck } from './schedules.ts'
import { secretsCheck } from './secrets.ts'
import { tokenCheck } from './token.ts'

const checks: readonly Check[] = [
  schedulesCheck,
  queuesCheck,
  deadLettersCheck,
  secretsCheck,
  tokenCheck,
  contactsKeyCheck,
  rateLimitCheck,
  clockSkewCheck,
  orderCheck,
  lastIdCheck,
  endpointsCheck,
]

export type CheckSettings = Pick<CheckContext, 'sendsTests' | 'allowPrivate' | 'contacts'>

type Running = { clock: Clock; signal: AbortSignal; onCheck: (name: string) => void }

/** Opens the bridge and runs every check on it. What can't be opened or listed is a finding, too, and ends it. */
export const runChecks = async (
  open: () => Promise<OperatorBridge>,
  settings: CheckSettings,
  running: Running,
): Promise<Finding[]> => {
  const opened = await openFindings(open)
  if (opened.bridge === null) return opened.findings
  const listed = await listFindings(opened.bridge)
  const findings = [...opened.findings, ...listed.findings]
  if (listed.context === null) return findings
  const context = { ...listed.context, ...settings, ...running, probe: probeOnce(opened.bridge, running) }
  for (const check of checks) {
    if (running.signal.aborted) break
    running.onCheck(check.name)
    findings.push(...named(check.name, await runOne(check, context)))
  }
  return findings
}

const named = (check: string, found: readonly Found[]): Finding[] => found.map(one => ({ check, ...one }))

const runOne = async (check: Check, context: CheckContext): Promise<readonly Found[]> => {
  try {
    return await check.run(context)
  } catch (error) {
    return [failureFound(error)]
  }
}

const failureFound = (error: unknown): Found => {
  const [text = 'failed', ...mend] = failureOf(error).lines.map(line => line.trim())
  return failed('', text, mend.join(' ') || 'Check the network, the credentials, and the rest of this list.')
}

type Opened = { bridge: OperatorBridge | null; findings: Finding[] }

/** A stack that was found says that there are credentials; without a stack none are needed. */
const openFindings = async (open: () => Promise<OperatorBridge>): Promise<Opened> => {
  try {
    const bridge = await open()
    const { target } = bridge
    if (target.kind === 'local') {
      const text = `${target.dataDir}, ${target.isRunning ? 'running' : 'not running'}; no credentials are needed`
      return { bridge, findings: named('bridge', [ok('', text)]) }
    }
    const parts = Object.keys(target.stack).length
    return {
      bridge,
      findings: [
        ...named('credentials', [ok('', 'accepted by AWS')]),
        ...named('stack', [ok(target.name, `is a bridge: ${parts} outputs`)]),
      ],
    }
  } catch (error) {
    // What is none of ours comes from AWS, which was asked for the stack's outputs.
    const check = error instanceof BridgeError ? 'bridge' : 'credentials'
    return { bridge: null, findings: named(check, [failureFound(error)]) }
  }
}

type Listed = { context: Pick<CheckContext, 'bridge' | 'sources' | 'endpoints'> | null; findings: Finding[] }

const listFindings = async (bridge: OperatorBridge): Promise<Listed> => {
  try {
    const [all, known] = await Promise.all([bridge.sources.list(), bridge.endpoints.list()])
    const sources = all.filter(({ state }) => state === 'active')
    const endpoints = known.filter(({ state }) => state !== 'removed')
    const text = `sources: ${sources.length} polled, ${all.length - sources.length} paused; endpoints: ${endpoints.length}`
    return { context: { bridge, sources, endpoints }, findings: named('table', [ok('', text)]) }
  } catch (error) {
    return { context: null, findings: named('table', [failureFound(error)]) }
  }
}

const probeOnce = (bridge: OperatorBridge, { clock, signal }: Running): CheckContext['probe'] => {
  const probes = new Map<string, Promise<SourceProbe>>()
  return (source: Source) => {
    const known = probes.get(source.id)
    if (known !== undefined) return known
    const asked = probeSource(source, { bridge, clock, signal })
    probes.set(source.id, asked)
    return asked
  }
}
