import { createWebhookSender } from '../../../shared/adapters/webhook/undici-webhook-sender.ts'
import type { Clock } from '../../../shared/domain/clock.ts'
import { deadlineMsDefault } from '../../../shared/domain/delivery/deliver.ts'
import { createEndpointCredentials } from '../../../shared/domain/delivery/endpoint-credentials.ts'
import { answerWithoutSecrets, requestHeaders } from '../../../shared/domain/delivery/post.ts'
import { deliveryReasons } from '../../../shared/domain/delivery/reasons.ts'
import type { SendResult } from '../../../shared/domain/delivery/webhook-sender.ts'
import type { Endpoint } from '../../../shared/domain/endpoint/endpoint.ts'
import { CommandError } from '../failures.ts'
import type { OperatorBridge } from '../target/operator-bridge.ts'

/** `headers` as they were sent: they hold secrets. */
export type SentTest = { headers: Readonly<Record<string, string>>; body: string; result: SendResult }

/** Signs and POSTs as the dispatcher does: one attempt. Throws a `CommandError` where a secret is missing. */
export const sendTest = async (
  of: { endpoint: Endpoint; event: { id: string; body: string }; allowPrivate: boolean },
  { bridge, clock }: { bridge: OperatorBridge; clock: Clock },
): Promise<SentTest> => {
  const { endpoint, event } = of
  const nowMs = clock.now()
  const store = createEndpointCredentials({ secrets: bridge.secrets, clock })
  const credentials = await store.credentialsOf(endpoint, nowMs)
  if (credentials.kind === 'none') throw unsendable(endpoint, credentials.reason)
  const post = { event: { eventId: event.id, body: event.body }, endpoint, credentials }
  const headers = requestHeaders(post, nowMs)
  const sender = createWebhookSender({ allowPrivate: of.allowPrivate, now: () => clock.now() })
  try {
    const request = { endpoint, headers, body: event.body, deadlineMs: deadlineMsDefault }
    const result = await sender.send(request)
    if (result.kind !== 'answered') return { headers, body: event.body, result }
    const answer = answerWithoutSecrets(result.answer, post)
    return { headers, body: event.body, result: { ...result, answer } }
  } finally {
    await sender.close()
  }
}

const unsendable = ({ id, keys }: Endpoint, reason: keyof typeof deliveryReasons): CommandError => {
  if (reason === 'authorization_missing' || reason === 'authorization_invalid') {
    return new CommandError({
      code: reason,
      message: `the endpoint "${id}" can't be asked: ${deliveryReasons[reason]}`,
      hint: `bridge endpoint authorization ${id} gives it.`,
    })
  }
  // npm start keeps no secret that its command line gives.
  const isGiven = keys.some(({ secret }) => secret?.startsWith('given-'))
  return new CommandError({
    code: reason,
    message: `nothing can be signed for the endpoint "${id}": ${deliveryReasons[reason]}`,
    hint: isGiven
      ? 'Its secret was given to npm start, which keeps none; leave it to the bridge, or rotate it.'
      : `bridge endpoint rotate-secret ${id} gives it a new one.`,
  })
}
