import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { jsonOf, type Ran, runBridgeCommand } from '../integration/cli/bridge-command.ts'
import type { Bridge } from './harness/bridge.ts'
import { isTaken, type KeyedReceiver, startKeyedReceiver } from './harness/keyed-receiver.ts'
import { nowSecond, recordsAt } from './harness/records.ts'
import { newSecret, test, type World } from './harness/world.ts'

const laptop = '--allow-private-endpoints'
/** As those that a start makes, which the lines of the harness expect. */
const ids = {
  derived: 'ep_00000000000000d1',
  own: 'ep_00000000000000d2',
  crm: 'ep_00000000000000c1',
} as const

/** A running bridge, the operator's command on its folder, and events one by one. */
const startWorld = async (world: World) => {
  const simulator = await world.simulator()
  const dataDir = await world.dataDir()
  const bridge: Bridge = world.bridge({
    simulator,
    receivers: [await world.receiver()],
    dataDir,
    flags: { 'retry-schedule': Array.from({ length: 20 }, () => '1s').join(',') },
  })
  await world.change.until('the bridge polls', () => bridge.polls().length > 0)
  const command = async (args: string, stdin?: string): Promise<Ran> => {
    const how = stdin === undefined ? {} : { stdin }
    const ran = await runBridgeCommand([...args.split(' '), '--data', dataDir, '--json'], how)
    if (ran.code !== 0) throw new Error(`bridge ${args}: ${ran.stderr}`)
    return ran
  }
  const receiver = () =>
    startKeyedReceiver({ onChange: () => world.change.ring(), defer: close => world.defer(close) })
  return {
    bridge,
    command,
    dataDir,
    receiver,
    happen: (count = 1) => simulator.add('bounces', recordsAt(nowSecond(), count)),
  }
}

const taken = ({ posts }: KeyedReceiver): number =>
  new Set(posts.filter(({ status }) => status === 204).map(({ id }) => id)).size

describe.concurrent('an endpoint', { timeout: 150_000 }, () => {
  test('whose secret is rotated can be verified with either all through the overlap, by both libraries', async ({
    world,
  }) => {
    const { command, receiver, happen } = await startWorld(world)
    const own = [newSecret(), newSecret()] as const
    const [derivedAt, ownAt] = [await receiver(), await receiver()]
    const added = await command(`endpoint add ${derivedAt.url} --id ${ids.derived} ${laptop}`)
    await command(`endpoint add ${ownAt.url} --id ${ids.own} --own-secret ${laptop}`, own[0])

    let isFeeding = true
    const feed = async (): Promise<void> => {
      while (isFeeding) {
        const before = Math.min(taken(derivedAt), taken(ownAt))
        happen()
        await world.change.until(
          'an event is at both',
          () => Math.min(taken(derivedAt), taken(ownAt)) > before,
        )
      }
    }
    const feeding = feed()
    const both = [derivedAt, ownAt]
    const atBoth = (what: string, isTrue: (receiver: KeyedReceiver) => boolean): Promise<void> =>
      world.change.until(what, () => both.every(isTrue))
    await atBoth('some events before', ({ posts }) => posts.length >= 3)
    const rotate = async (id: string, flags: string, stdin?: string) => {
      const rotated = jsonOf(await command(`endpoint rotate-secret ${id} --overlap 14s${flags}`, stdin))
      return {
        shownAtMs: Date.now(),
        endsAtMs: Date.parse(rotated.oldSignsUntil),
        secret: rotated.signingSecret,
      }
    }
    const [derived, given] = await Promise.all([
      rotate(ids.derived, ''),
      rotate(ids.own, ' --own-secret', own[1]),
    ])
    await atBoth('events after the overlap', ({ posts }) => {
      const after = posts.filter(({ atMs }) => atMs > Math.max(derived.endsAtMs, given.endsAtMs) + 1_000)
      return after.length >= 3
    })
    isFeeding = false
    await feeding

    const first: string = jsonOf(added).signingSecret
    const rotations = [
      { at: derivedAt, ...derived, old: first, next: String(derived.secret) },
      { at: ownAt, ...given, old: own[0], next: own[1] },
    ]
    for (const { at, shownAtMs, endsAtMs, old, next } of rotations) {
      const signedAt = (post: (typeof at.posts)[number]) => Number(post.headers['webhook-timestamp']) * 1_000
      const overlap = at.posts.filter(post => post.atMs > shownAtMs && post.atMs < endsAtMs)
      expect(overlap.length).toBeGreaterThanOrEqual(3)
      // Whoever changes over at any moment between refuses nothing.
      expect(at.posts.filter(post => post.atMs < endsAtMs && !isTaken(post, old))).toEqual([])
      expect(at.posts.filter(post => post.atMs > shownAtMs && !isTaken(post, next))).toEqual([])
      expect(overlap.map(({ headers }) => headers['webhook-signature']?.split(' ').length)).toEqual(
        overlap.map(() => 2),
      )
      // What was signed after its end, the old secret takes no more.
      const after = at.posts.filter(post => signedAt(post) > endsAtMs)
      expect(after.length).toBeGreaterThanOrEqual(1)
      expect(after.filter(post => isTaken(post, old))).toEqual([])
      // Nothing was tried twice.
      expect(new Set(at.posts.map(({ id }) => id)).size).toBe(at.posts.length)
    }
  })

  test('that demands a token and a header gets both; a new token is taken up after the first 401', async ({
    world,
  }) => {
    const { bridge, command, receiver, happen } = await startWorld(world)
    const crm = await receiver()
    const demand = (authorization: string): void =>
      crm.setAnswer(({ 'x-tenant': tenant, ...headers }) =>
        headers.authorization === authorization && tenant === 'acme-7781' ? 204 : 401,
      )
    demand('Bearer token-one-1')
    await command(`endpoint add ${crm.url} --id ${ids.crm} --header X-Tenant:acme-7781 ${laptop}`)
    await command(`endpoint authorization ${ids.crm} --bearer`, 'token-one-1\n')
    happen(3)
    await world.change.until('three are taken', () => taken(crm) === 3)
    expect(crm.posts.map(({ status }) => status)).toEqual([204, 204, 204])

    demand('Bearer token-two-2')
    await command(`endpoint authorization ${ids.crm} --bearer`, 'token-two-2')
    happen()
    await world.change.until('one more is taken', () => taken(crm) === 4)
    // One with the token that was remembered, perhaps one more before it may be read again; minutes otherwise.
    expect(crm.posts.filter(({ status }) => status === 401).length).toBeLessThanOrEqual(4)

    demand(`Basic ${Buffer.from('user:pass-word-3').toString('base64')}`)
    await command(`endpoint authorization ${ids.crm} --basic`, 'user:pass-word-3')
    happen()
    await world.change.until('one more is taken', () => taken(crm) === 5)

    const told = await Promise.all(
      [`endpoint show ${ids.crm}`, 'endpoint list', `deliveries list --endpoint ${ids.crm}`, 'export'].map(
        args => command(args),
      ),
    )
    const said = [bridge.stdout(), bridge.stderr(), ...told.map(({ stdout }) => stdout)].join('\n')
    expect(said).not.toMatch(/token-one|token-two|pass-word|acme-7781/)
    expect(said).toContain('x-tenant')
  })

  test('that was declared with a scheme alone has its events held until the secret is given', async ({
    world,
  }) => {
    const { bridge, command, dataDir, receiver, happen } = await startWorld(world)
    const shop = await receiver()
    shop.setAnswer(({ authorization }) => (authorization === 'Bearer late-token-1' ? 204 : 401))
    const file = join(dataDir, 'declared.json')
    const endpoints = { [ids.crm]: { url: shop.url, authorization: 'bearer' } }
    await writeFile(file, JSON.stringify({ version: 1, endpoints }))
    const applied = jsonOf(await command(`apply --file ${file} ${laptop}`))
    expect(applied.authorizationsMissing).toEqual([ids.crm])
    happen(3)
    const held = () => bridge.of('held').filter(({ reason }) => reason === 'authorization_missing')
    await world.change.until('three are held', () => held().length === 3)
    expect(shop.posts).toEqual([])
    await command(`endpoint authorization ${ids.crm} --bearer`, 'late-token-1')
    await world.change.until('three are taken', () => taken(shop) === 3)
    expect(shop.posts.map(({ status }) => status)).toEqual([204, 204, 204])
  })
})
