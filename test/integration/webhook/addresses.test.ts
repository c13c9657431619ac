import { describe, expect, onTestFinished, test } from 'vitest'
import type { ResolveHost } from '../../../shared/adapters/webhook/resolver.ts'
import {
  createWebhookSender,
  type WebhookSenderSettings,
} from '../../../shared/adapters/webhook/undici-webhook-sender.ts'
import { postTo, startHttp, startTls, testCertificate } from './receivers.ts'

const sender = (settings: Partial<WebhookSenderSettings>) => {
  const created = createWebhookSender({ allowPrivate: true, now: Date.now, ...settings })
  onTestFinished(() => created.close())
  return created
}

const answered = { kind: 'answered', status: 204 }
const failed = (reason: string) => ({ kind: 'failed', reason })

const startQuick = () => startHttp((_request, response) => response.writeHead(204).end())
const startEnding = () =>
  startHttp((_request, response) => response.writeHead(204, { connection: 'close' }).end())

describe('without the flag for private addresses', () => {
  test.each([
    'https://2130706433',
    'https://0x7f.1',
    'https://0177.0.0.1',
    'https://127.0.0.1',
    'https://127.0.0.1.',
    'https://[::1]',
    'https://[::ffff:127.0.0.1]',
    'https://[64:ff9b::7f00:1]',
    'https://[2002:7f00:1::]',
    'https://0.0.0.0',
  ])('%s is refused before there is a socket', async origin => {
    const receiver = await startTls(() => {})
    const { send } = sender({ allowPrivate: false, caCertificates: [testCertificate] })
    expect(await send(postTo(`${origin}:${receiver.port}/`))).toMatchObject(failed('address_refused'))
    expect(receiver.opened()).toBe(0)
  })

  test.each(['http://hooks.test', 'https://localhost', 'https://localhost.', 'https://a.localhost'])(
    '%s is refused without asking DNS',
    async origin => {
      const receiver = await startTls(() => {})
      let asked = 0
      const resolve: ResolveHost = async () => {
        asked += 1
        return ['127.0.0.1']
      }
      const { send } = sender({ allowPrivate: false, resolve })
      expect(await send(postTo(`${origin}:${receiver.port}/`))).toMatchObject(failed('url_refused'))
      expect([asked, receiver.opened()]).toEqual([0, 0])
    },
  )

  test.each([
    ['a private address', ['127.0.0.1']],
    ['a private one beside a public one', ['93.184.215.14', '127.0.0.1']],
    ['a private one in IPv6', ['2606:4700::1', '::ffff:7f00:1']],
    ['something that is no address', ['2130706433']],
  ])('a public name with %s is refused before there is a socket', async (_what, addresses) => {
    const receiver = await startTls(() => {})
    const { send } = sender({
      allowPrivate: false,
      caCertificates: [testCertificate],
      resolve: async () => addresses,
    })
    const request = postTo(`https://hooks.test:${receiver.port}/`)
    expect(await send(request)).toMatchObject(failed('address_refused'))
    expect(receiver.opened()).toBe(0)
  })
})

describe('with the flag for private addresses', () => {
  test.each(['127.0.0.1', '2130706433', '0x7f.1', '[::ffff:127.0.0.1]', 'localhost', 'app.localhost'])(
    'http://%s reaches the laptop, hosts file or not',
    async host => {
      const receiver = await startQuick()
      expect(await sender({}).send(postTo(`http://${host}:${receiver.port}/`))).toMatchObject(answered)
    },
  )

  test('the metadata address stays refused', async () => {
    const { send } = sender({ resolve: async () => ['169.254.169.254'] })
    expect(await send(postTo('http://169.254.169.254/'))).toMatchObject(failed('address_refused'))
    expect(await send(postTo('http://hooks.test/'))).toMatchObject(failed('address_refused'))
  })
})

describe('DNS', () => {
  test('that changes its answer between check and connect changes nothing: the checked address is used', async () => {
    const receiver = await startEnding()
    const answers = [['127.0.0.1'], ['169.254.169.254']]
    const resolve: ResolveHost = async () => answers.shift() ?? ['169.254.169.254']
    const { send } = sender({ resolve, limits: { lookupCacheMs: 0 } })
    const request = postTo(`http://hooks.test:${receiver.port}/`)
    expect(await send(request)).toMatchObject(answered)
    expect(answers).toHaveLength(1)
    expect(await send(request)).toMatchObject(failed('address_refused'))
    expect(receiver.opened()).toBe(1)
  })

  test('is asked again only where there is a new socket and the short cache has ended', async () => {
    const receiver = await startEnding()
    let asked = 0
    let nowMs = 0
    const resolve: ResolveHost = async () => {
      asked += 1
      return ['127.0.0.1']
    }
    const { send } = sender({ resolve, now: () => nowMs, limits: { lookupCacheMs: 5_000 } })
    const request = postTo(`http://hooks.test:${receiver.port}/`)
    const counts: number[] = []
    for (const atMs of [0, 4_999, 5_000]) {
      nowMs = atMs
      await send(request)
      counts.push(asked)
    }
    expect(counts).toEqual([1, 1, 2])
    expect(receiver.opened()).toBe(3)
  })

  test('that never answers for one name delays nobody else', async () => {
    const receiver = await startQuick()
    const resolve: ResolveHost = host =>
      host === 'quick.test' ? Promise.resolve(['127.0.0.1']) : new Promise(() => {})
    const { send } = sender({ resolve, limits: { lookupsMax: 2 } })
    const ended: string[] = []
    const slow = Array.from({ length: 50 }, () =>
      send(postTo('http://slow.test/', 400)).then(result =>
        ended.push(result.kind === 'failed' ? result.reason : ''),
      ),
    )
    const quick = Array.from({ length: 50 }, () => send(postTo(`http://quick.test:${receiver.port}/`, 400)))
    for (const result of await Promise.all(quick)) expect(result).toMatchObject(answered)
    expect(ended).toEqual([])
    await Promise.all(slow)
    expect(ended).toEqual(Array.from({ length: 50 }, () => 'dns_timeout'))
  })

  test('that takes longer than a lookup may is a time-out of DNS before the deadline', async () => {
    const { send } = sender({ resolve: () => new Promise(() => {}), limits: { lookupTimeoutMs: 50 } })
    const result = await send(postTo('http://slow.test/', 10_000))
    expect(result).toMatchObject(failed('dns_timeout'))
    expect(result.tookMs).toBeLessThan(2_000)
  })

  test.each([
    ['fails', async () => await Promise.reject(new Error('SERVFAIL')), 'dns_failed'],
    ['knows no address', async () => [], 'dns_not_found'],
  ])('that %s is a failure of DNS', async (_how, resolve, reason) => {
    expect(await sender({ resolve }).send(postTo('http://hooks.test/'))).toMatchObject(failed(reason))
  })

  test('with several addresses leads to the one that answers', async () => {
    const receiver = await startQuick()
    const { send } = sender({ resolve: async () => ['127.0.0.2', '::1', '127.0.0.1'] })
    expect(await send(postTo(`http://hooks.test:${receiver.port}/`))).toMatchObject(answered)
  })
})
