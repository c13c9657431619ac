import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createSystemResolver, systemResolverDefaults } from '../../../shared/adapters/webhook/resolver.ts'

const typeA = 1
const typeAaaa = 28
type Zone = (type: number) => { code?: number; addresses?: readonly (readonly number[])[] } | null

/** A name server of a page: answers each question with what the zone says for its type, or never. */
const startNameServer = async (zone: Zone): Promise<string> => {
  const server = createSocket('udp4')
  server.on('message', (query, from) => {
    // A header of 12 bytes, then the question: labels up to an empty one, type and class.
    const end = query.indexOf(0, 12) + 5
    const type = query.readUInt16BE(end - 4)
    const said = zone(type)
    if (said === null) return
    const records = (said.addresses ?? []).map(bytes => {
      const head = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, bytes.length])
      return Buffer.concat([head, Buffer.from(bytes)])
    })
    const header = Buffer.from(query.subarray(0, 12))
    header.writeUInt16BE(0x8180 | (said.code ?? 0), 2)
    header.writeUInt16BE(records.length, 6)
    header.writeUInt32BE(0, 8)
    server.send(Buffer.concat([header, query.subarray(12, end), ...records]), from.port, from.address)
  })
  server.bind(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return `127.0.0.1:${server.address().port}`
}

const v4 = [
  [192, 0, 2, 1],
  [192, 0, 2, 2],
]
const v6 = [[0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]]
const nxdomain = 3
const servfail = 2

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
    ['there is no such name', { code: nxdomain }],
    ['the name has no address', { addresses: [] }],
    ['the name server fails', { code: servfail }],
  ])('says that DNS failed where %s', async (_why, said) => {
    const server = await startNameServer(() => said)
    await expect(resolverAt(server)('hooks.test', ever)).rejects.toMatchObject({ reason: 'dns_failed' })
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
