import { expect, test, vi } from 'vitest'
import { jsonOf } from './bridge-command.ts'
import {
  givenSecret,
  holdWhole,
  idsAt,
  idsOf,
  laptop,
  patience,
  recordsOf,
  verifyAll,
} from './whole-bridge.ts'

test('what is held is released or dropped as said, what waits is tried at once, and nothing else goes out twice', {
  timeout: 240_000,
}, async () => {
  const named = { isReady: false }
  await using world = await holdWhole(({ path }) => (path === '/named' && !named.isReady ? 503 : 204))
  const { simulator, bridge, namedId } = world
  const { posts, url } = world.customer
  const add = async (id: string): Promise<string> => {
    const added = jsonOf(await bridge(`endpoint add ${url}/${id} --id ${id} ${laptop} --json`))
    expect(jsonOf(await bridge(`endpoint disable ${id} --json`)).state).toBe('disabled')
    return added.signingSecret
  }
  const secrets = { '/named': givenSecret, '/keep': await add('keep'), '/lose': await add('lose') }
  simulator.add('bounces', recordsOf('bounce', 6))
  simulator.add('complaints', recordsOf('complaint', 4))
  const ids = idsOf(simulator)
  await world.start('1h')

  const standing = async () => {
    const { endpoints } = jsonOf(await bridge('endpoint list --json'))
    return Object.fromEntries(
      endpoints.map(({ id, deliveries }: { id: string; deliveries: Record<string, { count: number }> }) => [
        id,
        [deliveries['waiting']?.count, deliveries['held']?.count],
      ]),
    )
  }
  const begun = { [namedId]: [10, 0], keep: [0, 10], lose: [0, 10] }
  await vi.waitFor(async () => expect(await standing()).toEqual(begun), patience)
  expect(idsAt(posts, '/named')).toEqual(ids)
  expect(idsAt(posts, '/keep')).toEqual([])

  // Nobody says what becomes of what is held: nothing is done.
  const unsaid = await bridge('endpoint enable keep')
  expect([unsaid.code, unsaid.stderr]).toEqual([
    2,
    'bridge: there are 10 held deliveries: say --release or --drop\n',
  ])
  expect((await bridge('endpoint enable keep --release --drop')).code).toBe(2)
  expect((await bridge('endpoint enable lose --drop')).code).toBe(2)
  named.isReady = true
  const retry = `deliveries retry --endpoint ${namedId} --state waiting --rate 200 --json`
  expect((await bridge(retry)).code).toBe(2)
  expect(await standing()).toEqual(begun)

  const released = jsonOf(await bridge('endpoint enable keep --release --json'))
  expect([released.state, released.released, released.dropped]).toEqual(['active', 10, 0])
  const lost = jsonOf(await bridge('endpoint enable lose --drop --yes --json'))
  expect([lost.state, lost.released, lost.dropped]).toEqual(['active', 0, 10])
  const retried = jsonOf(await bridge(`${retry} --yes`))
  expect([retried.set, retried.complete]).toEqual([10, true])
  await vi.waitFor(() => expect(idsAt(posts, '/keep')).toEqual(ids), patience)
  await vi.waitFor(() => expect(idsAt(posts, '/named')).toEqual(ids.flatMap(id => [id, id])), patience)
  const settled = { [namedId]: [0, 0], keep: [0, 0], lose: [0, 0] }
  await vi.waitFor(async () => expect(await standing()).toEqual(settled), patience)

  // One that was delivered goes out again, alone; and what is new goes to all.
  const [again = ''] = ids
  expect((await bridge(`deliveries retry ${again} keep`)).code).toBe(2)
  expect(jsonOf(await bridge(`deliveries retry ${again} keep --yes --json`)).set).toBe(true)
  const second = Math.floor(Date.now() / 1_000) - 60
  simulator.add('bounces', [{ uuid: 'new-bounce', second }])
  const newest = idsOf(simulator).filter(id => !ids.includes(id))
  expect(newest).toHaveLength(1)
  await vi.waitFor(() => {
    expect(idsAt(posts, '/lose')).toEqual(newest)
    expect(idsAt(posts, '/keep')).toEqual([...ids, again, ...newest].toSorted())
    expect(idsAt(posts, '/named')).toEqual([...ids, ...ids, ...newest].toSorted())
  }, patience)
  verifyAll(world.customer, secrets)
})
