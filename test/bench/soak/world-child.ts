import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'
import * as z from 'zod'
import { listen } from '../../../infra/local/loopback.ts'
import { startSimulator } from '../../../infra/simulator/server.ts'
import { createEndpoints } from './endpoints.ts'

/**
 * The other side of a soak, in a process of its own: a simulated service that has all kinds of faults, and the endpoints,
 * which verify every signature. Arguments: records a second, for how many seconds, the endpoints' secret.
 */
const argsSchema = z.tuple([
  z.coerce.number().positive(),
  z.coerce.number().positive(),
  z.string().startsWith('whsec_'),
])
const [rate, seconds, secret] = argsSchema.parse(process.argv.slice(2))

/** Of all requests: one in seven goes wrong, in one way or another. */
const serviceFaults = [
  { fault: 429, share: 0.02 },
  { fault: 500, share: 0.02 },
  { fault: 503, share: 0.02 },
  { fault: 'garbage', share: 0.02 },
  { fault: 'html', share: 0.01 },
  { fault: 'empty', share: 0.01 },
  { fault: 'truncated', share: 0.01 },
  { fault: 'reset', share: 0.01 },
  { fault: 'slow', share: 0.02 },
  { fault: 'timeout', share: 0.002 },
] as const
/** Records of which one in ten becomes visible so late, within the overlap of 120 s. */
const lateSeconds = 40

const records = Math.round(rate * seconds)
const simulator = await startSimulator({
  ...{ rate, count: records, seed: 7, pageSize: 1_000, rateLimit: 60 },
  ...{ lateSeconds, lateShare: 0.1, fault: [...serviceFaults] },
})
const endpoints = createEndpoints(seconds * 1_000)
const webhook = new Webhook(secret)
const server = createServer(async (request, response) => {
  const body = await text(request).catch(() => null)
  if (body === null) return
  const id = String(request.headers['webhook-id'])
  webhook.verify(body, {
    'webhook-id': id,
    'webhook-timestamp': String(request.headers['webhook-timestamp']),
    'webhook-signature': String(request.headers['webhook-signature']),
  })
  endpoints.answer(String(request.url).slice(1), id, request, response)
})
process.send?.({
  url: simulator.url,
  token: simulator.token,
  receivers: await listen(server),
  endpoints: endpoints.names,
})
process.on('message', () => {
  const faults = simulator.requests.filter(({ fault }) => fault !== null).length
  process.send?.({
    records,
    requests: simulator.requestCount,
    // Of the newest requests that are remembered.
    faultShare: faults / Math.max(1, simulator.requests.length),
    endpoints: endpoints.counts(),
  })
})
process.on('disconnect', () => process.exit(0))
