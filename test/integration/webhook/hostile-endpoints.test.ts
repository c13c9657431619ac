import { expect, onTestFinished, test } from 'vitest'
import { createWebhookSender } from '../../../shared/adapters/webhook/undici-webhook-sender.ts'
import { deliveryReasons } from '../../../shared/domain/delivery/reasons.ts'
import { isTimeout, type SendResult } from '../../../shared/domain/delivery/webhook-sender.ts'
import { hostileEndpoints, trustedCertificate } from './hostile-endpoints.ts'
import { startHostile } from './hostile-servers.ts'
import { postTo } from './receivers.ts'

const sender = () => {
  const created = createWebhookSender({
    allowPrivate: true,
    now: Date.now,
    caCertificates: [trustedCertificate],
    resolve: async () => ['127.0.0.1'],
  })
  onTestFinished(() => created.close())
  return created
}

const outcomeOf = (result: SendResult): string =>
  result.kind === 'answered' ? `http_${result.status}` : result.reason

/** Long enough that nothing else than an endpoint that needs it comes to its end. */
const deadlineMs = (untilDeadline: boolean) => (untilDeadline ? 600 : 10_000)

test.each(hostileEndpoints)(
  '$name is told as $outcome, in time, over one socket that is closed',
  async endpoint => {
    const server = await startHostile(endpoint)
    onTestFinished(() => server.close())
    const created = sender()
    const startedAt = performance.now()
    const result = await created.send(postTo(server.url, deadlineMs(endpoint.untilDeadline)))
    const tookMs = performance.now() - startedAt
    expect(outcomeOf(result)).toBe(endpoint.outcome)
    expect(isTimeout(endpoint.outcome)).toBe(endpoint.untilDeadline)
    expect(tookMs).toBeLessThan(endpoint.untilDeadline ? 2_000 : 8_000)
    expect(server.opened()).toBe(1)
    await created.close()
    await expect.poll(() => server.open()).toBe(0)
  },
)

test('every outcome without an answer is among the reasons', () => {
  const failures = hostileEndpoints.map(({ outcome }) => outcome).filter(name => !name.startsWith('http_'))
  for (const failure of failures) expect(Object.keys(deliveryReasons)).toContain(failure)
})
