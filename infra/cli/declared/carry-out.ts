import type { Endpoint } from '../../../shared/domain/endpoint/endpoint.ts'
import type { Source } from '../../../shared/domain/source.ts'
import { findPresentEndpoint } from '../endpoint/find-endpoint.ts'
import { ownSecretsOf } from '../endpoint/own-secrets.ts'
import type { OperatorBridge } from '../target/operator-bridge.ts'
import type { Plan, Step } from './plan.ts'

/**
 * Takes the steps of a plan, one after the other: sources and endpoints that are made or changed, then what is removed.
 * Each is whole, so that after an interruption the same file goes on. Says whether all were taken.
 */
export const carryOut = async (
  plan: Plan,
  bridge: OperatorBridge,
  { signal, nowMs }: { signal: AbortSignal; nowMs: number },
): Promise<{ taken: number; complete: boolean }> => {
  const steps = [
    ...plan.sources.filter(isPut).map(step => () => putSource(step, bridge)),
    ...plan.endpoints.filter(isPut).map(step => () => putEndpoint(step, bridge, nowMs)),
    ...plan.endpoints.filter(isRemoval).map(
      ({ from }) =>
        () =>
          removeEndpoint(from, bridge, nowMs),
    ),
    ...plan.sources.filter(isRemoval).map(
      ({ from }) =>
        () =>
          removeSource(from, bridge),
    ),
  ]
  let taken = 0
  for (const take of steps) {
    if (signal.aborted) return { taken, complete: false }
    await take()
    taken += 1
  }
  return { taken, complete: true }
}

type Put<T> = Extract<Step<T>, { kind: 'create' | 'change' }>
type Removal<T> = Extract<Step<T>, { kind: 'undeclared' | 'remove' }>

const isPut = <T>(step: Step<T>): step is Put<T> => step.kind === 'create' || step.kind === 'change'
const isRemoval = <T>(step: Step<T>): step is Removal<T> => step.kind === 'remove'

const putSource = (step: Put<Source>, { sources }: OperatorBridge): Promise<void> => sources.put(step.to)

const putEndpoint = async (step: Put<Endpoint>, bridge: OperatorBridge, nowMs: number): Promise<void> => {
  const { id, to } = step
  if (step.kind === 'create') return bridge.endpoints.put(to)
  // A 410, or a rotation, that came since the plan was made is not undone: the file says nothing of them.
  const { state, stateReason, stateSinceMs, keys } = await findPresentEndpoint(bridge, id)
  await bridge.endpoints.put({ ...to, state, stateReason, stateSinceMs, keys })
  const unneeded = to.authorization === null ? step.from.authorization : null
  if (unneeded !== null) await bridge.secretWriter.remove(unneeded.secret)
  if (step.from.state === to.state) return
  await bridge.endpoints.setState({ id, state: to.state, reason: to.stateReason, atMs: nowMs })
}

const removeEndpoint = async (endpoint: Endpoint, bridge: OperatorBridge, nowMs: number): Promise<void> => {
  await bridge.endpoints.setState({ id: endpoint.id, state: 'removed', reason: null, atMs: nowMs })
  for (const name of ownSecretsOf(endpoint)) await bridge.secretWriter.remove(name)
}

const removeSource = async ({ id, tokenSecret }: Source, bridge: OperatorBridge): Promise<void> => {
  await bridge.sources.remove(id)
  await bridge.secretWriter.remove(tokenSecret)
}
