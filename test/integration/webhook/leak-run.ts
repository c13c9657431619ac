import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'
import { createSystemResolver, systemResolverDefaults } from '../../../shared/adapters/webhook/resolver.ts'
import { createWebhookSender } from '../../../shared/adapters/webhook/undici-webhook-sender.ts'
import { isTimeout } from '../../../shared/domain/delivery/webhook-sender.ts'
import { trustedCertificate } from './hostile-endpoints.ts'

/**
 * Sends so many webhooks to hostile endpoints, all kinds by turns, and says what is left afterwards:
 *   node --expose-gc --max-semi-space-size=4 test/integration/webhook/leak-run.ts 10000
 * V8's young generation is kept small, since what it has grown to is in the resident set too.
 */
const attempts = Number(process.argv[2] ?? 10_000)
const atOnce = 64
/** Each kind so many times before it is measured: code, caches and the parser's memory are there by then. */
const warmUpRounds = 3
const shortDeadlineMs = 300
const longDeadlineMs = 20_000
const settleTriesMax = 100

const madeSchema = z.object({
  endpoints: z.array(
    z.object({ name: z.string(), url: z.string(), outcome: z.string(), untilDeadline: z.boolean() }),
  ),
  nameServer: z.string(),
})
const openSchema = z.array(z.string())

const child = fork(fileURLToPath(new URL('./leak-servers.ts', import.meta.url)))
const [made]: unknown[] = await once(child, 'message')
const { endpoints, nameServer } = madeSchema.parse(made)
/** What is open at the servers: the kind of endpoint, and how many sockets. */
const openAtServers = async (): Promise<string[]> => {
  const answer = once(child, 'message')
  child.send('open')
  const [said]: unknown[] = await answer
  return openSchema.parse(said)
}

const dns = createSystemResolver({ ...systemResolverDefaults, servers: [nameServer] })
const sender = () =>
  createWebhookSender({
    allowPrivate: true,
    now: Date.now,
    caCertificates: [trustedCertificate],
    resolve: (host, signal) => (host === 'never.test' ? dns(host, signal) : Promise.resolve(['127.0.0.1'])),
  })
const kinds = [
  ...endpoints,
  { name: 'DNS that never answers', url: 'http://never.test/', outcome: 'dns_timeout', untilDeadline: true },
  { name: 'nobody listens', url: 'http://127.0.0.1:1/', outcome: 'connection_refused', untilDeadline: false },
]

const wrong = new Map<string, number>()
const sendAll = async ({ send }: ReturnType<typeof sender>, count: number): Promise<void> => {
  let at = 0
  const worker = async (): Promise<void> => {
    while (at < count) {
      const kind = kinds[at++ % kinds.length]
      if (kind === undefined) return
      const result = await send({
        endpoint: { id: 'ep', url: kind.url },
        headers: { 'webhook-id': 'evt_1' },
        body: '{"id":"evt_1"}',
        deadlineMs: kind.untilDeadline ? shortDeadlineMs : longDeadlineMs,
      })
      const outcome = result.kind === 'answered' ? `http_${result.status}` : result.reason
      // On a busy machine a short deadline may end in another phase.
      if (kind.untilDeadline ? isTimeout(outcome) : outcome === kind.outcome) continue
      const key = `${kind.name}: ${outcome}`
      wrong.set(key, (wrong.get(key) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}

const resources = (): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const type of process.getActiveResourcesInfo()) counts[type] = (counts[type] ?? 0) + 1
  return counts
}
const memory = async () => {
  // Twice: finalizers of the first collection free more.
  for (const _ of [1, 2]) {
    globalThis.gc?.()
    await pause(20)
  }
  const { heapUsed, external, arrayBuffers, rss } = process.memoryUsage()
  return { heapUsed, external, arrayBuffers, rss }
}
type Memory = Awaited<ReturnType<typeof memory>>
const growth = (from: Memory, to: Memory): Memory => ({
  heapUsed: to.heapUsed - from.heapUsed,
  external: to.external - from.external,
  arrayBuffers: to.arrayBuffers - from.arrayBuffers,
  rss: to.rss - from.rss,
})
const settled = async (isSettled: () => Promise<boolean>): Promise<void> => {
  for (let tries = 0; tries < settleTriesMax; tries += 1) {
    if (await isSettled()) return
    await pause(50)
  }
}

const resourcesBefore = resources()
const warm = sender()
await sendAll(warm, warmUpRounds * kinds.length)
await warm.close()
wrong.clear()

const measured = sender()
const before = await memory()
const startedAt = performance.now()
await sendAll(measured, Math.floor(attempts / 2))
const between = await memory()
await sendAll(measured, Math.ceil(attempts / 2))
const tookMs = Math.round(performance.now() - startedAt)
const after = await memory()
await measured.close()
await settled(async () => (await openAtServers()).length === 0)
await settled(async () => JSON.stringify(resources()) === JSON.stringify(resourcesBefore))

console.log(
  JSON.stringify({
    attempts,
    kinds: kinds.length,
    tookMs,
    wrong: Object.fromEntries(wrong),
    openAtServers: await openAtServers(),
    resourcesBefore,
    resourcesAfter: resources(),
    growthBytes: growth(before, after),
    growthOfSecondHalfBytes: growth(between, after),
  }),
)
child.disconnect()
