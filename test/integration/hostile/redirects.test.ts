import { channel } from 'node:diagnostics_channel'
import { expect, onTestFinished, test } from 'vitest'
import type { ResolveHost } from '../../../shared/adapters/webhook/resolver.ts'
import { createWebhookSender } from '../../../shared/adapters/webhook/undici-webhook-sender.ts'
import { inwardNames, refusedSpellings } from '../../unit/hostile/ssrf-corpus.ts'
import { postTo, startHttp } from '../webhook/receivers.ts'

/** Node tells of every socket that it is about to connect. */
const countSockets = () => {
  let opened = 0
  const count = () => {
    opened += 1
  }
  const sockets = channel('net.client.socket')
  sockets.subscribe(count)
  onTestFinished(() => sockets.unsubscribe(count))
  return () => opened
}

test('an endpoint that redirects inside is answered by nobody else: no name is asked for, no socket opened', async () => {
  const places = Object.values(refusedSpellings).flat()
  const locations = places.filter(place => /^[!-~]+$/.test(place))
  const statuses = [301, 302, 303, 307, 308, 300]
  let answers = 0
  const receiver = await startHttp((_request, response) => {
    const location = locations[answers] ?? ''
    response
      .writeHead(statuses[answers % statuses.length] ?? 302, { location, refresh: `0;url=${location}` })
      .end()
    answers += 1
  })
  const asked: string[] = []
  const resolve: ResolveHost = async host => {
    asked.push(host)
    return ['127.0.0.1']
  }
  const opened = countSockets()
  const sender = createWebhookSender({ allowPrivate: true, now: Date.now, resolve })
  onTestFinished(() => sender.close())
  for (const [at, location] of locations.entries()) {
    const { kind, ...said } = await sender.send(postTo(`http://hooks.test:${receiver.port}/`))
    expect([location, kind, 'status' in said ? said.status : null]).toEqual([
      location,
      'answered',
      statuses[at % statuses.length],
    ])
  }
  expect([answers, new Set(asked)]).toEqual([locations.length, new Set(['hooks.test'])])
  expect(opened()).toBe(receiver.opened())
})

test('a name that is answered otherwise at each look-up is connected to at the address that was checked', async () => {
  const receiver = await startHttp((_request, response) =>
    response.writeHead(204, { connection: 'close' }).end(),
  )
  const inward = inwardNames
    .flatMap(([, addresses]) => addresses)
    .filter(address => address === '169.254.169.254')
  let lookups = 0
  // Loopback stands for what is allowed; the flag of a laptop never allows the metadata service.
  const resolve: ResolveHost = async () => {
    lookups += 1
    return lookups % 2 === 1 ? ['127.0.0.1'] : [...inward]
  }
  const opened = countSockets()
  const sender = createWebhookSender({
    allowPrivate: true,
    now: Date.now,
    resolve,
    limits: { lookupCacheMs: 0 },
  })
  onTestFinished(() => sender.close())
  const ends: string[] = []
  for (let turn = 0; turn < 10; turn += 1) {
    const result = await sender.send(postTo(`http://hooks.test:${receiver.port}/`))
    ends.push(result.kind === 'answered' ? String(result.status) : result.reason)
  }
  expect(ends).toEqual(Array.from({ length: 5 }, () => ['204', 'address_refused']).flat())
  expect([lookups, opened(), receiver.opened()]).toEqual([10, 5, 5])
})
