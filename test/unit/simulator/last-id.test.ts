import { describe, expect, it } from 'vitest'
import { createSimulator, type SimulatorSetup } from '../../../infra/simulator/simulator.ts'
import { get, getPage, idsOf, startMs, startSecond } from './simulator-fixtures.ts'

const unknownId = '00000000-0000-4000-8000-000000000000'

/** Bounces a to e, of which b, c and d share a second and c is soft. */
const simulate = (setup: SimulatorSetup = {}) => {
  const simulator = createSimulator({ now: () => startMs, ...setup })
  simulator.add('bounces', [
    { uuid: 'a', second: startSecond - 9 },
    { uuid: 'b', second: startSecond - 5 },
    { uuid: 'c', second: startSecond - 5, fields: { bounce_type: 's' } },
    { uuid: 'd', second: startSecond - 5 },
    { uuid: 'e', second: startSecond - 1 },
  ])
  return simulator
}

const listAfter = async (setup: SimulatorSetup, query: string): Promise<string[]> =>
  idsOf(await getPage(simulate(setup), `bounces?${query}`))

describe('last_id', () => {
  it('read as a position gives the rest of the second, read as a time skips it', async () => {
    const query = 'order=asc&include_soft=1&last_id=b'
    expect(await listAfter({ lastId: 'position' }, query)).toEqual(['c', 'd', 'e'])
    expect(await listAfter({ lastId: 'timelogged' }, query)).toEqual(['e'])
  })

  it('gives the same records newest first when the order is desc', async () => {
    expect(await listAfter({}, 'order=desc&include_soft=1&last_id=b')).toEqual(['e', 'd', 'c'])
    expect(await listAfter({ order: 'ignored' }, 'order=asc&include_soft=1&last_id=b')).toEqual([
      'e',
      'd',
      'c',
    ])
    expect(await listAfter({ order: 'ignored-on-complaints' }, 'order=asc&last_id=b')).toEqual(['d', 'e'])
  })

  it('of a soft bounce is known to the list without soft bounces', async () => {
    expect(await listAfter({}, 'order=asc&last_id=c')).toEqual(['d', 'e'])
  })

  it('of the newest record gives an empty list', async () => {
    expect(await getPage(simulate(), 'bounces?order=asc&last_id=e')).toEqual({
      count: 0,
      next: null,
      previous: null,
      results: [],
    })
  })

  it('that is unknown is a 422, the whole list or an empty one, as the reading has it', async () => {
    const query = `order=asc&last_id=${unknownId}`
    expect(await listAfter({ unknownLastId: 'all' }, query)).toEqual(['a', 'b', 'd', 'e'])
    expect(await listAfter({ unknownLastId: 'empty' }, query)).toEqual([])
    const { answer } = await get(simulate(), `bounces?${query}`)
    expect(answer.status).toBe(422)
    expect(JSON.parse(answer.body)).toEqual({ last_id: ['Is not the uuid of a record of this list.'] })
  })

  it('that is no UUID is a 422 under every reading', async () => {
    for (const unknownLastId of ['422', 'all', 'empty'] as const) {
      for (const lastId of ['', 'nonsense']) {
        const { answer } = await get(simulate({ unknownLastId }), `bounces?last_id=${lastId}`)
        expect(answer.status).toBe(422)
        expect(Object.keys(JSON.parse(answer.body))).toEqual(['last_id'])
      }
    }
  })

  it('is unknown once forgotten, and its record stays; once expired, its record is gone too', async () => {
    const simulator = simulate({ unknownLastId: 'empty' })
    const fresh = { uuid: unknownId, second: startSecond - 5 }
    simulator.add('bounces', [fresh])
    const list = async (query = '') => idsOf(await getPage(simulator, `bounces?order=asc${query}`))
    expect(await list(`&last_id=${unknownId}`)).toEqual(['e'])
    simulator.forgetId(unknownId)
    expect(await list(`&last_id=${unknownId}`)).toEqual([])
    expect(await list()).toEqual(['a', 'b', 'd', unknownId, 'e'])
    simulator.expire('bounces', unknownId)
    expect(await list()).toEqual(['a', 'b', 'd', 'e'])
    expect(() => simulator.expire('bounces', unknownId)).toThrow('no record')
  })

  it('of a record that is not visible yet, or has passed the retention, is unknown', async () => {
    let nowMs = startMs
    const simulator = simulate({ unknownLastId: 'all', retentionSeconds: 60, now: () => nowMs })
    simulator.add('bounces', [{ uuid: unknownId, second: startSecond - 3, visibleAtMs: startMs + 1000 }])
    const list = async () => idsOf(await getPage(simulator, `bounces?order=asc&last_id=${unknownId}`))
    expect(await list()).toEqual(['a', 'b', 'd', 'e'])
    nowMs += 1000
    expect(await list()).toEqual(['e'])
    nowMs = startMs + 58_000
    expect(await list()).toEqual(['e'])
  })

  it('changes its reading while the simulator runs', async () => {
    const simulator = simulate()
    const list = async () => idsOf(await getPage(simulator, 'bounces?order=asc&last_id=b'))
    expect(await list()).toEqual(['d', 'e'])
    simulator.setOption('lastId', 'timelogged')
    expect(await list()).toEqual(['e'])
  })
})
