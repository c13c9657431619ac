import { describe, expect, test } from 'vitest'
import { createSystemResolver, systemResolverDefaults } from '../../../shared/adapters/webhook/resolver.ts'
import { nxdomain, refused, servfail, startNameServer, typeA, typeAaaa, type Zone } from './name-server.ts'

const v4 = [
  [192, 0, 2, 1],
  [192, 0, 2, 2],
]
const v6 = [[0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]]
const failsForOne: Zone = type => (type === typeA ? { code: servfail } : { addresses: [] })
const silentForOne: Zone = type => (type === typeA ? { addresses: [] } : null)

const resolverAt = (server: string, secondFamilyMs = 5_000) =>
  createSystemResolver({ ...systemResolverDefaults, tries: 1, secondFamilyMs, servers: [server] })
const ever = new AbortController().signal

describe('the resolver', () => {
  test('asks for both families and gives them by turns', async () => {
    const server = await startNameServer(type => ({ addresses: type === typeA ? v4 : v6 }))
    expect(await resolverAt(server)('hooks.test', ever)).toEqual(['192.0.2.1', '2001:db8::1', '192.0.2.2'])
  })

  test('is content with one family', async () => {
    const server = await startNameServer(type => ({ addresses: type === typeAaaa ? v6 : [] }))
    expect(await resolverAt(server)('hooks.test', ever)).toEqual(['2001:db8::1'])
  })

  test('waits for the other family only a moment once it has one', async () => {
    const server = await startNameServer(type => (type === typeA ? { addresses: v4 } : null))
    const startedAt = performance.now()
    expect(await resolverAt(server, 50)('hooks.test', ever)).toEqual(['192.0.2.1', '192.0.2.2'])
    expect(performance.now() - startedAt).toBeLessThan(1_500)
  })

  test.each([
    ['there is no such name', () => ({ code: nxdomain }), 'dns_not_found'],
    ['the name has no address', () => ({ addresses: [] }), 'dns_not_found'],
    ['the name server fails', () => ({ code: servfail }), 'dns_failed'],
    ['the name server refuses', () => ({ code: refused }), 'dns_failed'],
    ['it fails for one family and has none of the other', failsForOne, 'dns_failed'],
    ['it answers for one family alone, that it has none', silentForOne, 'dns_timeout'],
  ] as const)('says why there is no address where %s', async (_why, zone, reason) => {
    const server = await startNameServer(zone)
    await expect(resolverAt(server)('hooks.test', ever)).rejects.toMatchObject({ reason })
  })

  test('ends with a time-out when it is aborted, whatever the name server does', async () => {
    const server = await startNameServer(() => null)
    const signal = AbortSignal.timeout(50)
    await expect(resolverAt(server)('hooks.test', signal)).rejects.toMatchObject({ reason: 'dns_timeout' })
  })

  test.each(['localhost', 'app.localhost'])('takes %s for loopback without asking', async host => {
    let asked = 0
    const server = await startNameServer(() => {
      asked += 1
      return { code: nxdomain }
    })
    expect(await resolverAt(server)(host, ever)).toEqual(['127.0.0.1', '::1'])
    expect(asked).toBe(0)
  })
})
