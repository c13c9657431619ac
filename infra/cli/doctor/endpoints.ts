import { randomUUID } from 'node:crypto'
import { mapBounded } from '../../../shared/adapters/bounded.ts'
import { BridgeError } from '../../../shared/domain/bridge-error.ts'
import { deliveryReasons } from '../../../shared/domain/delivery/reasons.ts'
import { failureReason, isSuccess } from '../../../shared/domain/delivery/retry-policy.ts'
import type { Endpoint } from '../../../shared/domain/endpoint/endpoint.ts'
import { testEvent } from '../../../shared/domain/event/test-event.ts'
import { showDuration } from '../../local/durations.ts'
import { checkAddresses, checkUrl, privateMend } from '../endpoint/check-url.ts'
import { healthLines } from '../endpoint/health.ts'
import { sendTest } from '../endpoint/send-test.ts'
import { UsageError } from '../failures.ts'
import { type Check, type CheckContext, type Found, failed, ok, warning } from './check.ts'

const endpointsAtOnce = 4

/** Endpoints have addresses that we send to; where tests are sent, they answer a signed one. */
export const endpointsCheck: Check = {
  name: 'endpoint',
  run: async context =>
    mapBounded(context.endpoints, endpointsAtOnce, endpoint => checkOne(endpoint, context)),
}

const checkOne = async (endpoint: Endpoint, context: CheckContext): Promise<Found> => {
  const { id, state, stateReason } = endpoint
  try {
    const text = context.sendsTests ? await answered(endpoint, context) : await resolved(endpoint, context)
    if (typeof text !== 'string') return text
    const [trouble] = healthLines(endpoint, context.clock.now())
    if (state === 'active' && trouble !== undefined) {
      const mend = `bridge deliveries list --endpoint ${id} tells why it fails; what is held goes out when it answers.`
      return warning(id, `${trouble}; ${text}`, mend)
    }
    if (state === 'active') return ok(id, text)
    const reason = stateReason === null || stateReason === 'endpoint_disabled' ? '' : ` (${stateReason})`
    return warning(id, `is disabled${reason}; ${text}`, `To send again: bridge endpoint enable ${id}.`)
  } catch (error) {
    if (error instanceof UsageError) {
      return failed(id, error.problems[0] ?? '', mendOf(endpoint, context, 'url_refused') ?? moved(id))
    }
    if (error instanceof BridgeError) {
      return failed(id, error.message, mendOf(endpoint, context, error.code) ?? error.hint)
    }
    throw error
  }
}

const mendOf = (endpoint: Endpoint, { bridge, allowPrivate }: CheckContext, reason: string): string | null =>
  privateMend(endpoint, { target: bridge.target, allowPrivate, reason })

const moved = (id: string): string => `If it has moved: bridge endpoint update ${id} --url URL.`

const resolved = async ({ url }: Endpoint, { allowPrivate }: CheckContext): Promise<string> => {
  await checkAddresses(checkUrl(url, { allowPrivate }), { allowPrivate })
  return 'has addresses that may be sent to; --send-tests asks it'
}

const answered = async (endpoint: Endpoint, context: CheckContext): Promise<string | Found> => {
  const { bridge, clock, allowPrivate } = context
  const second = Math.floor(clock.now() / 1_000)
  const event = testEvent({ type: 'webhook.test', endpointId: endpoint.id, uuid: randomUUID(), second })
  const { result } = await sendTest({ endpoint, event, allowPrivate }, { bridge, clock })
  const took = `in ${showDuration(result.tookMs)}`
  if (result.kind === 'answered' && isSuccess(result)) return `answered a test ${result.status} ${took}`
  const mend = `bridge endpoint test ${endpoint.id} shows request and answer. ${moved(endpoint.id)}`
  if (result.kind === 'answered') {
    return failed(endpoint.id, `answered a test ${result.status} ${took}: ${failureReason(result)}`, mend)
  }
  const text = `no answer ${took}: ${result.reason}, ${deliveryReasons[result.reason]}`
  return failed(endpoint.id, text, mendOf(endpoint, context, result.reason) ?? mend)
}
