import { describe, expect } from 'vitest'
import type { RunningSimulator } from '../../infra/simulator/server.ts'
import type { Intercept, SimulatorSetup } from '../../infra/simulator/simulator.ts'
import { expectExactly } from './harness/checks.ts'
import { nowSecond, recordsUntil } from './harness/records.ts'
import { idsOf, test, type World } from './harness/world.ts'

type Loss = {
  title: string
  service: SimulatorSetup
  /** What becomes of a request with a `last_id` that was lost, where the service's own answer is not what is tried. */
  refuse?: Exclude<Awaited<ReturnType<Intercept>>, undefined>
  /** What is answered is what should be answered: there is nothing to be told. */
  looksRight?: true
}

const losses: readonly Loss[] = [
  { title: 'refused with 422', service: { unknownLastId: '422' } },
  { title: 'refused with 422 in HTML', service: { unknownLastId: '422', errorBody: 'html' } },
  { title: 'refused with 422 and no body', service: { unknownLastId: '422', errorBody: 'empty' } },
  { title: 'refused with 400', service: {}, refuse: { fault: 400 } },
  { title: 'refused with 404', service: { next: 'cursor' }, refuse: { fault: 404 } },
  { title: 'refused with 410', service: { lastId: 'timelogged' }, refuse: { fault: 410 } },
  {
    title: 'answered with the whole list, which has nothing older any more',
    service: { unknownLastId: 'all' },
    looksRight: true,
  },
  {
    title: 'answered with the whole list, last_id by timelogged, next a cursor',
    service: { unknownLastId: 'all', lastId: 'timelogged', next: 'cursor' },
    looksRight: true,
  },
  { title: 'answered with an empty list', service: { unknownLastId: 'empty' } },
  {
    title: 'answered with an empty list, last_id by timelogged',
    service: { unknownLastId: 'empty', lastId: 'timelogged' },
  },
  {
    title: 'answered with an empty list, order ignored',
    service: { unknownLastId: 'empty', order: 'ignored' },
  },
  { title: 'failed on with 500', service: {}, refuse: { fault: 500 } },
]

const streams = ['bounces', 'complaints'] as const
/** Of the known records so many seconds are left in the list: those that the overlap reads again. */
const secondsLeft = 3

const firstStart = async (world: World, service: SimulatorSetup) => {
  const simulator = await world.simulator({ pageSize: 5, ...service })
  simulator.add('bounces', recordsUntil(nowSecond() - 60, 15, 2))
  simulator.add('complaints', recordsUntil(nowSecond() - 70, 8, 2))
  const receiver = await world.receiver()
  const of = {
    simulator,
    receivers: [receiver],
    dataDir: await world.dataDir(),
    flags: { once: true, overlap: String(secondsLeft) } as const,
  }
  expect(await world.bridge(of).ended()).toEqual({ code: 0, signal: null })
  expectExactly(receiver, idsOf(simulator))
  return { simulator, receiver, of, known: idsOf(simulator) }
}

const lastIdOf = (query: string): string | null => new URLSearchParams(query).get('last_id')

const addNew = (simulator: RunningSimulator): void => {
  simulator.add('bounces', recordsUntil(nowSecond() - 20, 6, 2))
  simulator.add('complaints', recordsUntil(nowSecond() - 20, 6, 2))
}

/**
 * The streams whose first walk began at the anchor. A start that ended while a stream was being read again left a place,
 * and the next one goes on there: behind the anchor, whose loss it then never meets.
 */
const readFromAnchor = (bridge: ReturnType<World['bridge']>) =>
  streams.filter(stream => bridge.of('poll').find(line => line['stream'] === stream)?.['resumed'] === false)

/**
 * Starts again, and sees that all that is new arrives, nothing twice; and that the loss was noticed and told, where it
 * was met. Says by how many streams it was.
 */
const expectFollowed = async (
  world: World,
  { simulator, receiver, of, known }: Awaited<ReturnType<typeof firstStart>>,
  noticed: boolean,
): Promise<number> => {
  const bridge = world.bridge(of)
  expect(await bridge.ended()).toEqual({ code: 0, signal: null })
  expectExactly(receiver, [...new Set([...known, ...idsOf(simulator)])])
  const fromAnchor = readFromAnchor(bridge)
  const told = new Set(bridge.of('anchor_lost').map(line => line['stream']))
  expect(fromAnchor.filter(stream => told.has(stream))).toEqual(noticed ? fromAnchor : [])
  if (noticed && fromAnchor.includes('bounces')) {
    expect(bridge.stderr()).toMatch(/bounces: last_id leads nowhere/)
  }
  return fromAnchor.length
}

/** A first start sets the anchors; then they and all older records have expired, and there are new ones. */
const loseAnchors = async (world: World, { service, refuse, looksRight }: Loss): Promise<void> => {
  const first = await firstStart(world, service)
  const { simulator } = first
  const gone = new Set<string>()
  for (const stream of streams) {
    const records = simulator.records(stream)
    const newest = records.at(-1)?.second ?? 0
    for (const { uuid, second } of records) if (second <= newest - secondsLeft) gone.add(uuid)
    for (const { uuid } of records) if (gone.has(uuid)) simulator.expire(stream, uuid)
  }
  if (refuse !== undefined) {
    simulator.setIntercept(({ query }) => (gone.has(lastIdOf(query) ?? '') ? refuse : undefined))
  }
  addNew(simulator)
  const askedBefore = simulator.requests.length
  const fromAnchor = await expectFollowed(world, first, looksRight !== true)
  const asked = simulator.requests.slice(askedBefore).map(({ query }) => lastIdOf(query) ?? '')
  expect(asked.filter(id => gone.has(id)).length).toBeGreaterThanOrEqual(fromAnchor)
}

describe.concurrent('an anchor that the service has lost costs no record and no duplicate', () => {
  for (const loss of losses) {
    test(loss.title, ({ world }) => loseAnchors(world, loss))
  }

  for (const unknownLastId of ['422', 'all', 'empty'] as const) {
    test(`one record alone is gone, the anchor; unknown ids: ${unknownLastId}`, async ({ world }) => {
      const first = await firstStart(world, { unknownLastId })
      const { simulator } = first
      const lost = new Map<string, string>()
      simulator.setIntercept(async request => {
        const anchor = lastIdOf(request.query)
        if (anchor === null || lost.has(request.path)) return undefined
        lost.set(request.path, anchor)
        simulator.expire(request.path.endsWith('/fbl') ? 'complaints' : 'bounces', anchor)
        return (await simulator.handle(request)).answer
      })
      addNew(simulator)
      await expectFollowed(world, first, true)
      expect(lost.size).toBe(2)
    })
  }

  for (const unknownLastId of ['422', 'all', 'empty'] as const) {
    test(`all known records are listed still, but none is known as a last_id: ${unknownLastId}`, async ({
      world,
    }) => {
      const first = await firstStart(world, { unknownLastId })
      const { simulator } = first
      for (const stream of streams) for (const { uuid } of simulator.records(stream)) simulator.forgetId(uuid)
      addNew(simulator)
      await expectFollowed(world, first, true)
    })
  }

  test('a list whose known records are all gone is followed further', async ({ world }) => {
    const simulator = await world.simulator({ pageSize: 5 })
    simulator.add('bounces', recordsUntil(nowSecond() - 60, 15, 2))
    const receiver = await world.receiver()
    const of = {
      simulator,
      receivers: [receiver],
      dataDir: await world.dataDir(),
      flags: { once: true } as const,
    }
    expect(await world.bridge(of).ended()).toEqual({ code: 0, signal: null })
    const first = receiver.ids()
    for (const { uuid } of simulator.records('bounces')) simulator.expire('bounces', uuid)
    simulator.add('bounces', recordsUntil(nowSecond() - 10, 7))
    const bridge = world.bridge(of)
    expect(await bridge.ended()).toEqual({ code: 0, signal: null })
    expectExactly(receiver, [...first, ...idsOf(simulator)])
    // Forgotten once: the next start has an anchor again, and loses none.
    const third = world.bridge(of)
    expect(await third.ended()).toEqual({ code: 0, signal: null })
    expect(third.of('anchor_lost')).toEqual([])
    expectExactly(receiver, [...first, ...idsOf(simulator)])
  })
})
