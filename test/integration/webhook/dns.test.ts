import { expect, onTestFinished, test } from 'vitest'
import { createSystemResolver, systemResolverDefaults } from '../../../shared/adapters/webhook/resolver.ts'
import { createWebhookSender } from '../../../shared/adapters/webhook/undici-webhook-sender.ts'
import { nxdomain, servfail, startNameServer, typeA, type Zone } from './name-server.ts'
import { postTo, startHttp } from './receivers.ts'

/** A sender that asks this name server by c-ares, as the bridge does. */
const senderOf = async (zone: Zone) => {
  const servers = [await startNameServer(zone)]
  const resolve = createSystemResolver({ ...systemResolverDefaults, servers })
  const limits = { lookupCacheMs: 0 }
  const created = createWebhookSender({ allowPrivate: true, now: Date.now, resolve, limits })
  onTestFinished(() => created.close())
  return created
}

const startEnding = () =>
  startHttp((_request, response) => response.writeHead(204, { connection: 'close' }).end())
const loopback = [[127, 0, 0, 1]]
const metadata = [[169, 254, 169, 254]]

test('a hundred names that are never answered delay no other name, and end at their deadline', async () => {
  const receiver = await startEnding()
  const { send } = await senderOf((type, name) => {
    if (name !== 'good.test') return null
    return { addresses: type === typeA ? loopback : [] }
  })
  const ended: string[] = []
  const never = Array.from({ length: 100 }, async (_, at) => {
    const result = await send(postTo(`http://never-${at}.test/`, 1_500))
    ended.push(result.kind === 'failed' ? result.reason : 'answered')
  })
  for (let at = 0; at < 10; at += 1) {
    expect(await send(postTo(`http://good.test:${receiver.port}/`))).toMatchObject({ status: 204 })
  }
  expect(ended).toEqual([])
  await Promise.all(never)
  expect(ended).toEqual(Array.from({ length: 100 }, () => 'dns_timeout'))
})

test.each([
  ['NXDOMAIN', { code: nxdomain }, 'dns_not_found'],
  ['no record', { addresses: [] }, 'dns_not_found'],
  ['SERVFAIL', { code: servfail }, 'dns_failed'],
])('a name server that says %s has a reason of its own', async (_what, said, reason) => {
  const { send } = await senderOf(() => said)
  expect(await send(postTo('http://hooks.test/'))).toMatchObject({ kind: 'failed', reason })
})

test('a name that changes to a private address after each answer is connected to as it was checked', async () => {
  const receiver = await startEnding()
  let asked = 0
  const { send } = await senderOf(type => {
    if (type !== typeA) return { addresses: [] }
    asked += 1
    return { addresses: asked === 1 ? loopback : metadata }
  })
  const request = postTo(`http://hooks.test:${receiver.port}/`)
  expect(await send(request)).toMatchObject({ kind: 'answered', status: 204 })
  expect(asked).toBe(1)
  expect(await send(request)).toMatchObject({ kind: 'failed', reason: 'address_refused' })
  expect([asked, receiver.opened()]).toEqual([2, 1])
})
