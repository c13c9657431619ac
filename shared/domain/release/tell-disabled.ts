import { faultOf } from '../bridge-error.ts'
import type { Endpoint } from '../endpoint/endpoint.ts'
import type { EndpointStore } from '../endpoint/endpoint-store.ts'
import type { OperatorEvents, TellResult } from '../endpoint/operator-events.ts'
import type { Reporter } from '../happenings.ts'

export type TellDisabledDeps = {
  endpoints: Pick<EndpointStore, 'untold' | 'setTold'>
  operator: OperatorEvents
  reporter: Reporter
}

/**
 * Tells the operator of each endpoint that the bridge disabled: at least once, since the mark that asks for it was
 * written together with the state, and is taken away only once it was told. What can't be told is left to the next run.
 * Throws where the endpoints can't be read.
 */
export const tellDisabled = async (deps: TellDisabledDeps): Promise<void> => {
  const untold = await deps.endpoints.untold()
  const disabled = untold.filter(({ state }) => state === 'disabled')
  const results = disabled.length === 0 ? [] : await deps.operator.tellDisabled(disabled)
  const telling = disabled.map((endpoint, at) => settle(endpoint, results[at], deps))
  // An operator changed the others meanwhile, and so knows of them.
  const changed = untold.filter(({ state }) => state !== 'disabled').map(endpoint => noteTold(endpoint, deps))
  await Promise.all([...telling, ...changed])
}

const settle = async (
  endpoint: Endpoint,
  result: TellResult | undefined,
  deps: TellDisabledDeps,
): Promise<void> => {
  const reason = endpoint.stateReason ?? 'endpoint_disabled'
  switch (result?.kind) {
    case 'told':
      deps.reporter.report({ kind: 'operator_told', endpoint: endpoint.id, reason })
      return noteTold(endpoint, deps)
    case 'known':
      return noteTold(endpoint, deps)
    case 'failed':
    case undefined: {
      const hint = 'The operator was not told that the endpoint is disabled; the next run tells it.'
      reportFault(endpoint, { reason: result?.reason ?? 'no_result', hint }, deps)
    }
  }
}

/** Where it fails, it is told once more. */
const noteTold = async (endpoint: Endpoint, deps: TellDisabledDeps): Promise<void> => {
  try {
    await deps.endpoints.setTold(endpoint)
  } catch (error) {
    reportFault(endpoint, faultOf(error), deps)
  }
}

const reportFault = (
  { id }: Endpoint,
  fault: { reason: string; hint: string },
  { reporter }: TellDisabledDeps,
): void => reporter.report({ kind: 'fault', event: null, endpoint: id, ...fault, delayMs: 0 })
