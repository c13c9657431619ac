import type { Endpoint } from '../../../shared/domain/endpoint/endpoint.ts'
import { CommandError, RefusedError } from '../failures.ts'
import type { OperatorBridge } from '../target/operator-bridge.ts'

/** Throws a `CommandError` where there is none of that id. */
export const findEndpoint = async ({ endpoints }: OperatorBridge, id: string): Promise<Endpoint> => {
  const endpoint = await endpoints.read(id)
  if (endpoint !== null) return endpoint
  throw new CommandError({
    code: 'endpoint_missing',
    message: `there is no endpoint "${id}"`,
    hint: 'bridge endpoint list shows those that there are.',
  })
}

/** One that can be changed: throws a `RefusedError` where it was removed. */
export const findPresentEndpoint = async (bridge: OperatorBridge, id: string): Promise<Endpoint> => {
  const endpoint = await findEndpoint(bridge, id)
  if (endpoint.state !== 'removed') return endpoint
  throw new RefusedError({
    code: 'endpoint_removed',
    message: `the endpoint "${id}" was removed`,
    hint: 'Add it again under another id: bridge endpoint add.',
  })
}
