import { channel } from 'node:diagnostics_channel'
import { isIP } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { valueSchemas } from '../../../infra/local/flag-values.ts'
import { addressesMax, createConnector } from '../../../shared/adapters/webhook/connector.ts'
import type { ResolveHost } from '../../../shared/adapters/webhook/resolver.ts'
import { createWebhookSender } from '../../../shared/adapters/webhook/undici-webhook-sender.ts'
import { literalAddress, parseEndpointUrl } from '../../../shared/domain/endpoint/endpoint-url.ts'
import { inwardNames, ordinaryUrls, publicAddresses, refusedSpellings } from './ssrf-corpus.ts'

const inCloud = { allowPrivate: false }
const spellings = Object.entries(refusedSpellings).flatMap(([what, urls]) =>
  urls.map(url => [what, url] as const),
)

/** Node tells of every socket that it is about to connect. */
const sockets = channel('net.client.socket')
let opened = 0
const count = () => {
  opened += 1
}
beforeAll(() => sockets.subscribe(count))
afterAll(() => sockets.unsubscribe(count))
beforeEach(() => {
  opened = 0
})
afterEach(() => {
  expect(opened).toBe(0)
})

/** A deadline that is over: what passes the check is given up before it would open a socket. */
const over = AbortSignal.abort()

/** What the connector makes of a URL's host: `connect_timeout` says that nothing was wrong with its addresses. */
const connectTo = async (hostname: string, resolve: ResolveHost): Promise<string> => {
  const connect = createConnector({ resolve, ...inCloud, caCertificates: [], random: () => 0 })
  const options = { hostname, host: hostname, protocol: 'https:', port: '8443' }
  try {
    await connect({ options, signal: over, onPhase: () => undefined })
    return 'connected'
  } catch (error) {
    return error instanceof Error ? error.message : 'unknown'
  }
}

const answering =
  (...addresses: string[]): ResolveHost =>
  async () => [...addresses]

const postTo = (url: string) => ({
  endpoint: { id: 'endpoint', url },
  headers: {},
  body: '{}',
  deadlineMs: 5_000,
})

test('the corpus is as large as it says: no spelling and no name stands in it twice', () => {
  const urls = spellings.map(([, url]) => url)
  expect(new Set(urls).size).toBe(urls.length)
  expect(new Set(inwardNames.map(([name]) => name)).size).toBe(inwardNames.length)
  expect(new Set(ordinaryUrls).size).toBe(ordinaryUrls.length)
  expect(urls.length + inwardNames.length).toBeGreaterThanOrEqual(120)
  expect(ordinaryUrls.length).toBeGreaterThanOrEqual(40)
})

describe('a spelling of what may not be sent to', () => {
  test.each(spellings)('(%s) %j is refused where an endpoint is added', (_, url) => {
    expect(parseEndpointUrl(url, inCloud).ok).toBe(false)
    expect(valueSchemas(false).endpoint.safeParse(url).success).toBe(false)
  })

  test('is refused where it is sent to, before a name is asked for or a socket is there', async () => {
    const asked: string[] = []
    const resolve: ResolveHost = async host => {
      asked.push(host)
      return ['127.0.0.1']
    }
    const sender = createWebhookSender({ ...inCloud, now: () => 0, resolve })
    for (const [, url] of spellings) {
      const { kind, ...said } = await sender.send(postTo(url))
      expect([url, kind, 'reason' in said ? said.reason : '']).toEqual([
        url,
        'failed',
        expect.stringMatching(/^(?:url|address)_refused$/),
      ])
    }
    await sender.close()
    expect(asked).toEqual([])
  })

  test('is refused by the connector alone, whose undici asks no look-up for a literal', async () => {
    const literals = spellings.flatMap(([, url]) => {
      const hostname = URL.parse(url)?.hostname ?? ''
      const literal = literalAddress(hostname)
      return literal === null || parseEndpointUrl(`https://${hostname}/`, inCloud).ok
        ? []
        : [[url, literal] as const]
    })
    expect(literals.length).toBeGreaterThan(100)
    const asking: ResolveHost = async () => ['93.184.215.14']
    for (const [url, literal] of literals) {
      expect(isIP(literal), url).not.toBe(0)
      expect([url, await connectTo(literal, asking)]).toEqual([url, 'address_refused'])
    }
  })
})

describe('a name that leads inside', () => {
  test.each(inwardNames)('%s is refused where it is sent to', async (name, addresses) => {
    expect(parseEndpointUrl(`https://${name}/`, inCloud).ok).toBe(true)
    expect(await connectTo(name, answering(...addresses))).toBe('address_refused')
    const sender = createWebhookSender({ ...inCloud, now: () => 0, resolve: answering(...addresses) })
    expect(await sender.send(postTo(`https://${name}/`))).toMatchObject({ reason: 'address_refused' })
    await sender.close()
  })

  test('is refused wherever the address stands among public ones, behind as many as are tried too', async () => {
    const many = Array.from({ length: addressesMax + 2 }, (_, at) => publicAddresses[at % 8] ?? '')
    for (const [name, [inward = '']] of inwardNames) {
      for (const at of [0, 1, addressesMax, many.length]) {
        const addresses = many.toSpliced(at, 0, inward)
        expect([name, at, await connectTo(name, answering(...addresses))]).toEqual([
          name,
          at,
          'address_refused',
        ])
      }
    }
  })

  test('at the next look-up only is refused then: each connection has one look-up, whose answer is checked', async () => {
    for (const [name, addresses] of inwardNames) {
      let lookups = 0
      const rebinding: ResolveHost = async () => {
        lookups += 1
        return lookups === 1 ? [...publicAddresses] : [...addresses]
      }
      const ends = [await connectTo(name, rebinding), await connectTo(name, rebinding)]
      expect([name, ends, lookups]).toEqual([name, ['connect_timeout', 'address_refused'], 2])
    }
  })
})

describe('what is ordinary', () => {
  test.each(ordinaryUrls)('%s is taken where it is added and where it is sent to', async url => {
    const parsed = parseEndpointUrl(url, inCloud)
    expect(parsed).toMatchObject({ ok: true })
    const { hostname } = new URL(url)
    const host = literalAddress(hostname) ?? hostname
    expect(await connectTo(host, answering(...publicAddresses))).toBe('connect_timeout')
  })
})
