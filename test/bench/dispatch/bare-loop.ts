import { createHmac, createSecretKey } from 'node:crypto'
import { Agent, Client, type Dispatcher } from 'undici'
import { deriveKey } from '../../../shared/domain/signing/signing-keys.ts'
import { anySecret } from '../price/any-secret.ts'
import type { ToPost } from './bench-batches.ts'

/** Made ready once: with bytes each HMAC would take ten times as long, and that is no fault of a loop's. */
const key = createSecretKey(
  deriveKey({ masterSecret: new Uint8Array(Buffer.from(anySecret)), endpointId: 'bare', keyVersion: 1 }),
)

/** As many connections to an origin as the dispatcher may have. */
const connectionsMax = 64

/**
 * What a program would do that knows no more than where to send: the same bytes and headers, one HMAC each, undici's
 * keep-alive. Where `eachAnew`, a connection for each POST: there are more origins than sockets that could be kept.
 */
export const startBareLoop = ({ eachAnew }: { eachAnew: boolean }) => {
  const agent = new Agent({ connections: connectionsMax })
  let delivered = 0

  const postOn = async (dispatcher: Dispatcher, url: URL, { eventId, body }: ToPost): Promise<void> => {
    const seconds = String(Math.floor(Date.now() / 1_000))
    const signature = createHmac('sha256', key).update(`${eventId}.${seconds}.${body}`).digest('base64')
    const answer = await dispatcher.request({
      ...{ origin: url.origin, path: url.pathname, method: 'POST', body },
      headers: {
        'content-type': 'application/json',
        'user-agent': 'feedback-bridge/0.1.0',
        'webhook-id': eventId,
        'webhook-timestamp': seconds,
        'webhook-signature': `v1,${signature}`,
      },
    })
    await answer.body.dump()
    if (answer.statusCode === 204) delivered += 1
  }
  const postOne = async (of: ToPost): Promise<void> => {
    const url = new URL(of.url)
    if (!eachAnew) return postOn(agent, url, of)
    const client = new Client(url.origin)
    await postOn(client, url, of)
    await client.destroy()
  }
  return {
    delivered: () => delivered,
    handle: async (batch: readonly ToPost[]): Promise<void> => {
      await Promise.all(batch.map(postOne))
    },
  }
}
