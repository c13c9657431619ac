import { describe, expect, test } from 'vitest'
import {
  checkAddresses,
  checkAllowPrivate,
  checkUrl,
  privateMend,
} from '../../../infra/cli/endpoint/check-url.ts'
import { AttemptFault } from '../../../shared/adapters/webhook/attempt-fault.ts'

const url = new URL('https://hooks.example.com/in')
const named = (addresses: readonly string[], allowPrivate = false) =>
  checkAddresses(url, { allowPrivate, resolve: async () => [...addresses] })

describe('the addresses of an endpoint', () => {
  test('are all to be public ones', async () => {
    await expect(named(['93.184.215.14', '2606:4700:4700::1111'])).resolves.toBeUndefined()
    await expect(named(['93.184.215.14', '10.0.0.7'])).rejects.toMatchObject({
      code: 'address_refused',
      message: 'hooks.example.com has the address 10.0.0.7, which is not a public one (private)',
    })
  })

  test('may be of its own network on a laptop, and never a cloud’s inside', async () => {
    await expect(named(['10.0.0.7'], true)).resolves.toBeUndefined()
    await expect(named(['169.254.169.254'], true)).rejects.toMatchObject({ code: 'address_refused' })
  })

  test('are missing where the name has none', async () => {
    const resolve = () => Promise.reject(new AttemptFault('dns_failed'))
    await expect(checkAddresses(url, { allowPrivate: false, resolve })).rejects.toMatchObject({
      code: 'dns_failed',
      message: 'hooks.example.com has no address now',
    })
  })

  test('need no lookup where they stand in the URL', async () => {
    const resolve = () => Promise.reject(new Error('looked up'))
    const literal = new URL('https://93.184.215.14/in')
    await expect(checkAddresses(literal, { allowPrivate: false, resolve })).resolves.toBeUndefined()
  })
})

test('a URL that can not be meant is wrong use; an address that is never sent to is refused', () => {
  const failure = (text: string): unknown => {
    try {
      return checkUrl(text, { allowPrivate: false }).href
    } catch (error) {
      return error instanceof Error ? error.name : error
    }
  }
  expect(
    ['nonsense', 'http://example.com/', 'https://127.0.0.1/', 'https://example.com'].map(failure),
  ).toEqual(['UsageError', 'UsageError', 'RefusedError', 'https://example.com/'])
})

test('the flag for this machine’s own addresses is named where it helps, and only there', () => {
  const local = { kind: 'local', dataDir: '.', isRunning: false } as const
  const endpoint = { url: 'http://127.0.0.1:3000/' }
  const of = { target: local, allowPrivate: false, reason: 'url_refused' }
  expect(privateMend(endpoint, of)).toContain('--allow-private-endpoints')
  expect(privateMend(endpoint, { ...of, reason: 'address_refused' })).toContain('--allow-private-endpoints')
  expect(privateMend(endpoint, { ...of, allowPrivate: true })).toBeNull()
  expect(privateMend(endpoint, { ...of, reason: 'timeout' })).toBeNull()
  expect(privateMend({ url: 'ftp://127.0.0.1/' }, of)).toBeNull()
})

test('only a local bridge may be allowed private addresses', () => {
  expect(() => checkAllowPrivate({ kind: 'local', dataDir: '.', isRunning: false }, true)).not.toThrow()
})
