import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSimulator, type SimulatorSetup } from '../../../infra/simulator/simulator.ts'
import type { VisibleRecord } from '../../../infra/simulator/stream-records.ts'
import { getPage, idsOf, sampleRows, startMs, startSecond, walk } from './simulator-fixtures.ts'

const anySetup = fc.record({
  seed: fc.nat(),
  backlog: fc.nat(60),
  backlogSpanSeconds: fc.constantFrom(5, 60),
  rate: fc.constantFrom(0, 0.7, 5),
  ties: fc.integer({ min: 1, max: 8 }),
  lateSeconds: fc.constantFrom(0, 8),
  lagSeconds: fc.constantFrom(0, 2),
  retentionSeconds: fc.constantFrom(null, 20),
  lastId: fc.constantFrom('position', 'timelogged'),
  order: fc.constantFrom('honoured', 'ignored', 'ignored-on-complaints'),
  next: fc.constantFrom('page', 'cursor'),
  timelogged: fc.constantFrom('s', 'ms', 'string', 'rfc3339'),
  pageSize: fc.integer({ min: 1, max: 12 }),
})

const anyCase = fc.record({
  setup: anySetup,
  passedMs: fc.nat(15_000),
  added: fc.array(fc.record({ second: fc.integer({ min: -30, max: 15 }), hiddenMs: fc.nat(20_000) }), {
    maxLength: 12,
  }),
  expired: fc.array(fc.nat(), { maxLength: 3 }),
  stream: fc.constantFrom('bounces' as const, 'complaints' as const),
  order: fc.constantFrom('asc', 'desc'),
  includeSoft: fc.boolean(),
  anchor: fc.option(fc.nat()),
})

type Case = typeof anyCase extends fc.Arbitrary<infer T> ? T : never

const simulate = ({ setup, passedMs, added, expired, stream }: Case) => {
  let nowMs = startMs
  const options: SimulatorSetup = { ...setup, records: sampleRows, count: 500, rateLimit: 0 }
  const simulator = createSimulator({ ...options, now: () => nowMs })
  const records = added.map(({ second, hiddenMs }, at) => ({
    uuid: `added-${at}`,
    second: startSecond + second,
    visibleAtMs: startMs + hiddenMs,
    fields: stream === 'bounces' ? { bounce_type: at % 3 === 0 ? 's' : 'h' } : {},
  }))
  simulator.add(stream, records)
  nowMs += passedMs
  for (const draw of expired) {
    const known = simulator.records(stream)
    const victim = known[draw % Math.max(1, known.length)]
    if (victim !== undefined) simulator.expire(stream, victim.uuid)
  }
  return simulator
}

/** The same as the list does, by filtering everything that is visible. */
const expected = (
  visible: VisibleRecord[],
  { setup, stream, order, includeSoft }: Case,
  lastId: string | null,
) => {
  const at = visible.findIndex(({ uuid }) => uuid === lastId)
  const anchorSecond = visible[at]?.second ?? Number.NEGATIVE_INFINITY
  const after = visible.filter(({ second }, index) =>
    lastId === null || setup.lastId === 'position' ? index > at : second > anchorSecond,
  )
  const ids = after.filter(({ hard }) => hard || includeSoft).map(({ uuid }) => uuid)
  const isIgnored =
    setup.order === 'ignored' || (setup.order === 'ignored-on-complaints' && stream === 'complaints')
  return isIgnored || order === 'desc' ? ids.reverse() : ids
}

describe('a list', () => {
  it('gives exactly what is visible when its pages are walked, under every reading', async () => {
    await fc.assert(
      fc.asyncProperty(anyCase, async given => {
        const simulator = simulate(given)
        const visible = simulator.records(given.stream)
        const anchor = given.anchor === null ? undefined : visible[given.anchor % Math.max(1, visible.length)]
        const lastId = anchor?.uuid ?? null
        const path = given.stream === 'bounces' ? 'bounces' : 'fbl'
        const soft = given.includeSoft ? '&include_soft=1' : ''
        const after = lastId === null ? '' : `&last_id=${lastId}`
        const pages = await walk(simulator, `${path}?order=${given.order}${soft}${after}`)

        const ids = expected(visible, given, lastId)
        expect(pages.flatMap(idsOf)).toEqual(ids)
        for (const { count, results } of pages) {
          expect(count).toBe(ids.length)
          expect(results.length).toBeLessThanOrEqual(given.setup.pageSize)
        }
        const back = await walk(
          simulator,
          pages.at(-2)?.next ?? `${path}?order=${given.order}${soft}${after}`,
          'previous',
        )
        expect(back.reverse().flatMap(idsOf)).toEqual(ids)
      }),
      { numRuns: 300 },
    )
  })

  it('is the same in two simulators with the same seed, at every time', async () => {
    await fc.assert(
      fc.asyncProperty(anySetup, fc.array(fc.nat(20_000), { maxLength: 3 }), async (setup, steps) => {
        let nowMs = startMs
        const make = () =>
          createSimulator({
            ...setup,
            records: sampleRows,
            count: 500,
            startMs,
            rateLimit: 0,
            now: () => nowMs,
          })
        const first = make()
        for (const step of steps) {
          nowMs += step
          const second = make()
          expect(await getPage(first, 'bounces?include_soft=1')).toEqual(
            await getPage(second, 'bounces?include_soft=1'),
          )
        }
      }),
      { numRuns: 50 },
    )
  })

  it('repeats records to a walk by page number when newer ones come meanwhile, and none to one by cursor', async () => {
    const restOfWalk = async (next: 'page' | 'cursor'): Promise<string[]> => {
      const simulator = createSimulator({ next, pageSize: 2, now: () => startMs })
      const add = (second: number, ...uuids: string[]) =>
        simulator.add(
          'bounces',
          uuids.map(uuid => ({ uuid, second })),
        )
      add(startSecond - 9, 'a', 'b', 'c', 'd')
      const first = await getPage(simulator, 'bounces?order=desc')
      expect(idsOf(first)).toEqual(['d', 'c'])
      add(startSecond, 'e', 'f')
      return (await walk(simulator, first.next ?? '')).flatMap(idsOf)
    }
    expect(await restOfWalk('page')).toEqual(['d', 'c', 'b', 'a'])
    expect(await restOfWalk('cursor')).toEqual(['b', 'a'])
  })

  it('is no longer than what is left before a cursor when it is walked back', async () => {
    const simulator = createSimulator({ next: 'cursor', pageSize: 2, now: () => startMs })
    simulator.add(
      'bounces',
      ['a', 'b', 'c', 'd', 'e'].map(uuid => ({ uuid, second: startSecond })),
    )
    const [, second] = await walk(simulator, 'bounces?order=asc')
    simulator.expire('bounces', 'a')
    const first = await getPage(simulator, second?.previous ?? '')
    expect(idsOf(first)).toEqual(['b'])
    expect(first.previous).toBeNull()
    expect((await walk(simulator, first.next ?? '')).flatMap(idsOf)).toEqual(['c', 'd', 'e'])
  })

  it('serves pages out of a million records without building them', async () => {
    const simulator = createSimulator({
      records: sampleRows,
      backlog: 1_000_000,
      rateLimit: 0,
      now: () => startMs,
    })
    const page = await getPage(simulator, 'bounces?order=asc&page_size=1000&page=334')
    expect(page.results).toHaveLength(334)
    expect(page.next).toBeNull()
  })
})
