import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'
import * as z from 'zod'
import { startSimulator } from '../../infra/simulator/server.ts'

/**
 * The other side of a bench, in a process of its own, so that its work is not counted as the bridge's: the simulated
 * service, and a receiver that verifies every signature. Arguments: the backlog, the receiver's secret.
 */
const argsSchema = z.tuple([z.coerce.number().int().nonnegative(), z.string().startsWith('whsec_')])
const [backlog, secret] = argsSchema.parse(process.argv.slice(2))

const arrived = new Set<string>()
let posts = 0
let lastAtMs = 0
const webhook = new Webhook(secret)
const receiver = createServer(async (request, response) => {
  const body = await text(request)
  const id = String(request.headers['webhook-id'])
  webhook.verify(body, {
    'webhook-id': id,
    'webhook-timestamp': String(request.headers['webhook-timestamp']),
    'webhook-signature': String(request.headers['webhook-signature']),
  })
  arrived.add(id)
  posts += 1
  lastAtMs = Date.now()
  response.writeHead(204).end()
})
await new Promise<void>(resolve => receiver.listen(0, '127.0.0.1', resolve))
const address = receiver.address()
const port = typeof address === 'object' && address !== null ? address.port : 0

const simulator = await startSimulator({ backlog, rate: 0, rateLimit: 0, seed: 7 })
const visible =
  simulator.records('bounces', { includeSoft: true }).length + simulator.records('complaints').length

process.send?.({
  kind: 'ready',
  url: simulator.url,
  token: simulator.token,
  receiver: `http://127.0.0.1:${port}/`,
  visible,
})
process.on('message', () => {
  process.send?.({
    kind: 'arrived',
    distinct: arrived.size,
    posts,
    lastAtMs,
    requests: simulator.requestCount,
  })
})
process.on('disconnect', () => process.exit(0))
