import { createWebhookSender } from '../../../shared/adapters/webhook/undici-webhook-sender.ts'
import type { Clock } from '../../../shared/domain/clock.ts'
import { deadlineMsDefault } from '../../../shared/domain/delivery/deliver.ts'
import { createEndpointKeys } from '../../../shared/domain/delivery/endpoint-keys.ts'
import { deliveryReasons } from '../../../shared/domain/delivery/reasons.ts'
import type { SendResult } from '../../../shared/domain/delivery/webhook-sender.ts'
import type { Endpoint } from '../../../shared/domain/endpoint/endpoint.ts'
import { signatureHeaders } from '../../../shared/domain/signing/sign.ts'
import { CommandError } from '../failures.ts'
import type { OperatorBridge } from '../target/operator-bridge.ts'

export type SentTest = { headers: Readonly<Record<string, string>>; body: string; result: SendResult }

/** Signs and POSTs as the dispatcher does: one attempt. Throws a `CommandError` where it can't be signed. */
export const sendTest = async (
  of: { endpoint: Endpoint; event: { id: string; body: string }; allowPrivate: boolean },
  { bridge, clock }: { bridge: OperatorBridge; clock: Clock },
): Promise<SentTest> => {
  const { endpoint, event } = of
  const nowMs = clock.now()
  const signing = await createEndpointKeys({ secrets: bridge.secrets, clock }).signingKeys(endpoint, nowMs)
  if (signing.kind === 'none') throw unsigned(endpoint, signing.reason)
  const signed = { ...event, timestampSeconds: Math.floor(nowMs / 1_000), keys: signing.keys }
  const headers = { 'content-type': 'application/json', ...signatureHeaders(signed) }
  const sender = createWebhookSender({ allowPrivate: of.allowPrivate, now: () => clock.now() })
  try {
    const request = { endpoint, headers, body: event.body, deadlineMs: deadlineMsDefault }
    return { headers, body: event.body, result: await sender.send(request) }
  } finally {
    await sender.close()
  }
}

const unsigned = ({ id, keys }: Endpoint, reason: keyof typeof deliveryReasons): CommandError => {
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
