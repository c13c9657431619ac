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

type Listed = { event: string; endpoint: string }

test('what an endpoint failed until it was given up is replayed, and a new endpoint gets the past: each id once', {
  timeout: 240_000,
}, async () => {
  const customer = { isReady: false }
  await using world = await holdWhole(() => (customer.isReady ? 204 : 503))
  const { simulator, bridge, namedId, sourceId } = world
  simulator.add('bounces', recordsOf('bounce', 9))
  simulator.add('complaints', recordsOf('complaint', 5))
  const ids = idsOf(simulator)
  expect(ids).toHaveLength(14)
  const stop = await world.start('200ms')
  const { posts } = world.customer

  const listed = async (): Promise<Listed[]> => jsonOf(await bridge('dlq list --all --json')).deadLetters
  await vi.waitFor(async () => expect(await listed()).toHaveLength(14), patience)
  const dead = await listed()
  expect(dead.map(({ event }) => event).toSorted()).toEqual(ids)
  expect(new Set(dead.map(({ endpoint }) => endpoint))).toEqual(new Set([namedId]))
  // Two attempts each, all with the id that the replay will have.
  expect(idsAt(posts, '/named')).toEqual(ids.flatMap(id => [id, id]))
  expect(await copiesIn(bridge)).toBe(14)

  customer.isReady = true
  const failed = posts.length
  const replayed = jsonOf(await bridge('dlq replay --all --rate 200 --json'))
  expect(replayed).toMatchObject({ replayed: 14, copiesRemoved: 14, wentOn: false })
  const added = await bridge(`endpoint add ${world.customer.url}/new --id new ${laptop} --json`)
  const secret: string = jsonOf(added).signingSecret
  const recovered = jsonOf(await bridge('recover --endpoint new --since 2h --rate 200 --json'))
  expect(recovered.set).toMatchObject({ missing: 14 })

  const since = () => posts.slice(failed)
  await vi.waitFor(() => expect(idsAt(since(), '/named')).toEqual(ids), patience)
  await vi.waitFor(() => expect(idsAt(since(), '/new')).toEqual(ids), patience)
  const delivered = async (): Promise<unknown[]> =>
    jsonOf(await bridge('deliveries list --state delivered --all --json')).deliveries
  await vi.waitFor(async () => expect(await delivered()).toHaveLength(28), patience)
  expect(await listed()).toEqual([])
  expect(await copiesIn(bridge)).toBe(0)

  // The cursor goes back over all of it; what was sent is not sent again, and what is new is.
  expect(await stop()).toBe(0)
  const fromTheStart = new Set<string>()
  simulator.setIntercept(({ path, query }) => {
    if (!query.includes('last_id')) fromTheStart.add(path)
    return undefined
  })
  const rewound = jsonOf(await bridge(`source rewind ${sourceId} --to 2h --yes --json`))
  expect(rewound.streams).toMatchObject([
    { stream: 'bounces', result: 'rewound', to: null },
    { stream: 'complaints', result: 'rewound', to: null },
  ])
  await world.start('200ms')
  const second = Math.floor(Date.now() / 1_000) - 60
  simulator.add('bounces', [{ uuid: 'new-bounce', second }])
  simulator.add('complaints', [{ uuid: 'new-complaint', second }])
  const all = idsOf(simulator)
  await vi.waitFor(() => expect(idsAt(since(), '/named')).toEqual(all), patience)
  await vi.waitFor(() => expect(idsAt(since(), '/new')).toEqual(all), patience)
  const { pathPrefix } = simulator
  const whole = new Set([`${pathPrefix}/bounces`, `${pathPrefix}/fbl`])
  await vi.waitFor(() => expect(fromTheStart).toEqual(whole), patience)
  const walks = async (): Promise<unknown[]> => {
    const { streams } = jsonOf(await bridge(`source show ${sourceId} --json`))
    return streams.map(({ anchor, walkUnderWay }: { anchor: unknown; walkUnderWay: boolean }) => [
      anchor !== null,
      walkUnderWay,
    ])
  }
  // The re-reading is through, and has sent nothing.
  await vi.waitFor(
    async () =>
      expect(await walks()).toEqual([
        [true, false],
        [true, false],
      ]),
    patience,
  )
  expect([idsAt(since(), '/named'), idsAt(since(), '/new')]).toEqual([all, all])
  verifyAll(world.customer, { '/named': givenSecret, '/new': secret })
})

/** Messages in the dead-letter queue, as status counts them. */
const copiesIn = async (bridge: (args: string) => Promise<Parameters<typeof jsonOf>[0]>): Promise<number> => {
  const { queues } = jsonOf(await bridge('status --json'))
  const { ready, inFlight, delayed } = queues.find(({ name }: { name: string }) => name === 'dead-letters')
  return ready + inFlight + delayed
}
