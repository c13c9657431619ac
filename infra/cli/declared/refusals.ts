import { mapBounded } from '../../../shared/adapters/bounded.ts'
import { BridgeError } from '../../../shared/domain/bridge-error.ts'
import type { Endpoint } from '../../../shared/domain/endpoint/endpoint.ts'
import { checkAddresses, checkUrl } from '../endpoint/check-url.ts'
import { readStanding } from '../endpoint/standing.ts'
import { RefusedError, UsageError } from '../failures.ts'
import { counted } from '../output/texts.ts'
import { removalRefusal } from '../source/removal-refusal.ts'
import type { OperatorBridge } from '../target/operator-bridge.ts'
import type { Declared } from './file-schema.ts'
import type { Current, Plan, Step } from './plan.ts'
import { headersWithoutValue } from './settings.ts'

/** Steps looked at together: each may resolve a name, or read the table. */
const stepsAtOnce = 8

type Refusal = { message: string; hint: string }
type Checks = { allowPrivate: boolean; skipDns: boolean; nowMs: number; declared: Declared; current: Current }

/** Throws a `RefusedError` that names every step that a rule of the bridge forbids: nothing was done then. */
export const refuseForbidden = async (plan: Plan, bridge: OperatorBridge, checks: Checks): Promise<void> => {
  const ofSources = await mapBounded(plan.sources, stepsAtOnce, async step => {
    const refusal = step.kind === 'remove' ? await removalRefusal(bridge, step.from, 'it') : null
    return refusal === null ? [] : [told(`source ${step.id}`, refusal)]
  })
  const ofEndpoints = await mapBounded(plan.endpoints, stepsAtOnce, async step => {
    const refusal = await endpointRefusal(step, bridge, checks)
    return refusal === null ? [] : [told(`endpoint ${step.id}`, refusal)]
  })
  const refusals = [...ofSources.flat(), ...ofEndpoints.flat()]
  if (refusals.length === 0) return
  throw new RefusedError({
    code: 'plan_refused',
    message: `${counted(refusals.length, 'step')} of the plan can't be taken\n${refusals.join('\n')}`,
    hint: 'Nothing was done.',
  })
}

const told = (what: string, { message, hint }: Refusal): string => `  ${what}: ${message}\n    ${hint}`

const endpointRefusal = async (
  step: Step<Endpoint>,
  bridge: OperatorBridge,
  checks: Checks,
): Promise<Refusal | null> => {
  const unknown = headersRefusal(step.id, checks)
  if (unknown !== null) return unknown
  if (step.kind !== 'create' && step.kind !== 'change') return null
  const { id, to } = step
  if (step.kind === 'create' && checks.current.endpoints.some(endpoint => endpoint.id === id)) {
    // Its keys would be those that a former customer knows.
    return {
      message: 'there was one of this id',
      hint: 'Ids of removed endpoints are not used again: choose another one.',
    }
  }
  const isNewUrl = step.kind === 'create' || step.from.url !== to.url
  const refusal = isNewUrl ? (sameUrlRefusal(to, checks) ?? (await urlRefusal(to.url, checks))) : null
  if (refusal !== null) return refusal
  const isEnabled = step.kind === 'change' && step.from.state === 'disabled' && to.state === 'active'
  return isEnabled ? await heldRefusal(id, bridge, checks.nowMs) : null
}

const headersRefusal = (id: string, { declared, current }: Checks): Refusal | null => {
  const endpoint = declared.endpoints?.[id]
  if (endpoint === undefined) return null
  const before = current.endpoints.find(other => other.id === id) ?? null
  const names = headersWithoutValue(endpoint, before)
  if (names.length === 0) return null
  return {
    message: `there is no value yet of ${names.join(', ')}, and the file has none`,
    hint: 'Give it in the file, or by bridge endpoint add --header.',
  }
}

const sameUrlRefusal = ({ id, url }: Endpoint, { declared, current }: Checks): Refusal | null => {
  if (declared.endpoints?.[id]?.['same-url'] === true) return null
  // Those of the file were compared with each other as it was read.
  const others = current.endpoints.filter(
    other => other.state !== 'removed' && !Object.hasOwn(declared.endpoints ?? {}, other.id),
  )
  const other = others.find(endpoint => endpoint.url === url)
  if (other === undefined) return null
  return {
    message: `the endpoint ${other.id}, which is not in the file, has this URL: the customer would get what both match twice`,
    hint: 'Declare that one; or add same-url: true, if two are meant.',
  }
}

const urlRefusal = async (text: string, { allowPrivate, skipDns }: Checks): Promise<Refusal | null> => {
  try {
    const url = checkUrl(text, { allowPrivate })
    if (!skipDns) await checkAddresses(url, { allowPrivate })
    return null
  } catch (error) {
    if (error instanceof UsageError) {
      const [
        message = 'is none that is sent to',
        hint = '  Give an https:// URL that the internet can reach.',
      ] = error.problems
      return { message, hint: hint.trim() }
    }
    if (error instanceof BridgeError) return { message: error.message, hint: error.hint }
    throw error
  }
}

/** What becomes of what is held is a decision of its own. */
const heldRefusal = async (id: string, bridge: OperatorBridge, nowMs: number): Promise<Refusal | null> => {
  const { held } = await readStanding(bridge, id, nowMs)
  if (held.count === 0) return null
  const deliveries = counted(held.count, 'delivery is', 'deliveries are')
  return {
    message: `${held.atLeast ? 'at least ' : ''}${deliveries} held for it`,
    hint: `Say what becomes of them: bridge endpoint enable ${id} --release, or --drop. Then apply the file.`,
  }
}
