import { describe, expect, it } from 'vitest'
import { startSimulator } from '../../../infra/simulator/server.ts'
import {
  Forbidden,
  RateLimited,
  Unauthorized,
  ValidationFailed,
} from '../../../shared/adapters/feedback-api/errors.ts'
import { authSchemes, type StreamName } from '../../../shared/domain/source.ts'
import { clientOf, first, refusalOf } from './service.ts'

const start = async (setup: Parameters<typeof startSimulator>[0] = {}) => {
  const simulator = await startSimulator(setup)
  const client = clientOf(simulator.url, {
    token: async () => simulator.token,
    includeSoft: true,
    now: Date.now,
  })
  return {
    simulator,
    client,
    [Symbol.asyncDispose]: async () => {
      await client.close()
      await simulator.close()
    },
  }
}

describe('against the simulator', () => {
  it.each([
    ['page', 'bounces'],
    ['page', 'complaints'],
    ['cursor', 'bounces'],
    ['cursor', 'complaints'],
  ] as const)(
    'a walk by next (%s) reads every record of %s once, from a host of another name',
    async (next, stream) => {
      await using running = await start({
        backlog: 300,
        complaintShare: 0.5,
        pageSize: 40,
        next,
        nextHost: 'other.example:81',
      })
      const { simulator, client } = running
      const uuids: unknown[] = []
      let nextQuery: string | null = null
      do {
        const page = await client.listPage({ ...first, stream, nextQuery })
        uuids.push(...page.records.map(({ text }) => JSON.parse(text).uuid))
        nextQuery = page.next === null ? null : new URL(page.next).search.slice(1)
      } while (nextQuery !== null)
      expect(uuids).toEqual(simulator.records(stream).map(({ uuid }) => uuid))
      expect(uuids.length).toBeGreaterThan(40)
      const sent = simulator.requests.map(({ query }) => new URLSearchParams(query))
      expect(sent.every(query => query.get('order') === 'asc')).toBe(true)
      expect(sent.map(query => query.get('include_soft'))).toEqual(
        sent.map(() => (stream === 'bounces' ? '1' : null)),
      )
    },
  )

  it.each(authSchemes)(
    'every list answers to the scheme %s, the contacts lists to theirs',
    async authScheme => {
      await using running = await start({ backlog: 20, complaintShare: 0.5 })
      const { simulator } = running
      await using client = clientOf(simulator.url, { token: async () => simulator.token, authScheme })
      for (const stream of ['bounces', 'complaints'] satisfies StreamName[])
        expect((await client.listPage({ ...first, stream })).rateLimit?.limit).toBe(60)
      expect((await client.listContactLists()).lists).toContainEqual(expect.objectContaining({ id: 1 }))
      expect(simulator.requests.map(({ scheme }) => scheme)).toEqual([authScheme, authScheme, 'X-API-Key'])
    },
  )

  it('every record has the type of its list', async () => {
    await using running = await start({ backlog: 200, complaintShare: 0.5 })
    const lists = [await running.client.listBounces(first), await running.client.listComplaints(first)]
    for (const { records } of lists) {
      expect(records.length).toBeGreaterThan(0)
      expect(records.filter(({ record }) => record === null)).toEqual([])
    }
  })

  it.each(['specified', 'detail', 'html', 'empty'] as const)(
    'its refusals are named, with a body that is %s',
    async errorBody => {
      await using running = await start({ errorBody, rateLimit: 3 })
      const { simulator, client } = running
      const unknown = '00000000-0000-4000-8000-000000000000'
      expect(await refusalOf(client.listPage({ ...first, lastId: unknown }))).toBeInstanceOf(ValidationFailed)
      simulator.setOption('profile', false)
      expect(await refusalOf(client.listPage(first))).toBeInstanceOf(Forbidden)
      expect(await refusalOf(client.listContactLists())).toBeInstanceOf(Unauthorized)
      const limited = await refusalOf(client.listPage(first))
      if (!(limited instanceof RateLimited)) throw limited
      expect(limited.retryAtMs).toBeGreaterThan(Date.now())
      expect(limited.facts.rateLimit).toMatchObject({ limit: 3, remaining: 0 })
    },
  )

  it('a 422 names the field', async () => {
    await using running = await start()
    const error = await refusalOf(running.client.listPage({ ...first, lastId: 'no-uuid' }))
    if (!(error instanceof ValidationFailed)) throw error
    expect(Object.keys(error.fields)).toEqual(['last_id'])
  })
})
