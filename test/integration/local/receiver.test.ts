import { describe, expect, test } from 'vitest'
import { refusedOneIn, shakyPath, startReceiver, steadyPath } from '../../../infra/local/receiver.ts'
import { signatureHeaders } from '../../../shared/domain/signing/sign.ts'
import { parseSecret } from '../../../shared/domain/signing/signing-keys.ts'

const secret = `whsec_${Buffer.alloc(32, 5).toString('base64')}`
const otherSecret = `whsec_${Buffer.alloc(32, 6).toString('base64')}`

const start = async () => {
  const receiver = await startReceiver({ [steadyPath]: secret, [shakyPath]: secret })
  const post = async (path: string, id: string, by = secret): Promise<number> => {
    const parsed = parseSecret(by)
    if (parsed.kind !== 'key') throw new Error(parsed.problem)
    const body = JSON.stringify({ data: { recipient: { address: 'a@example.com', domain: 'example.com' } } })
    const timestampSeconds = Math.floor(Date.now() / 1_000)
    const headers = signatureHeaders({ id, body, timestampSeconds, keys: [parsed.key] })
    return (await fetch(`${receiver.url}${path}`, { method: 'POST', body, headers })).status
  }
  return { receiver, post, [Symbol.asyncDispose]: () => receiver.close() }
}

describe("the demo's receiver", () => {
  test('takes what is signed by its secret, and remembers of the recipient the domain alone', async () => {
    await using world = await start()
    expect(await world.post(steadyPath, 'evt_1')).toBe(204)
    expect([world.receiver.verified(), world.receiver.wrong()]).toEqual([1, 0])
    expect(world.receiver.domainOf('evt_1')).toBe('example.com')
  })

  test('refuses and counts a wrong signature', async () => {
    await using world = await start()
    expect(await world.post(steadyPath, 'evt_1', otherSecret)).toBe(400)
    expect([world.receiver.verified(), world.receiver.wrong()]).toEqual([0, 1])
    expect(world.receiver.domainOf('evt_1')).toBeNull()
  })

  test('its shaky path refuses some events when they come first, and takes them the second time', async () => {
    await using world = await start()
    const ids = Array.from({ length: refusedOneIn }, (_, index) => `evt_${index}`)
    const statuses: number[] = []
    for (const id of ids) statuses.push(await world.post(shakyPath, id))
    expect(statuses).toEqual([...Array.from({ length: refusedOneIn - 1 }, () => 204), 503])
    expect(await world.post(shakyPath, ids.at(-1) ?? '')).toBe(204)
  })
})
