import { describe, expect, it } from 'vitest'
import { createHandler, type RequestEntry } from '../../../infra/simulator/lambda-handler.ts'
import { readLambdaSettings } from '../../../infra/simulator/lambda-settings.ts'
import {
  RateLimited,
  ServerError,
  Unauthorized,
  UnreadablePage,
  ValidationFailed,
} from '../../../shared/adapters/feedback-api/errors.ts'
import { authSchemes, streamNames } from '../../../shared/domain/source.ts'
import { clientOf, first, atMs as nowMsOfClient, refusalOf } from '../feedback-api/service.ts'
import { startFunctionUrl } from './function-url-server.ts'

const token = 'the-token-of-the-secret'
const nowMs = Date.UTC(2026, 10, 20, 9, 30)

const start = async (variables: Record<string, string> = {}, clock = () => nowMs) => {
  const { options } = readLambdaSettings({ TOKEN_SECRET: 'bridge/token-simulator', ...variables })
  const log: RequestEntry[] = []
  const instance = () =>
    createHandler({ options, readToken: async () => token, now: clock, log: entry => log.push(entry) })
  // No instance sees a second request: whatever it kept to itself would be missing.
  const url = await startFunctionUrl(event => instance()(event))
  const one = instance()
  const sameInstance = await startFunctionUrl(event => one(event))
  const clientAt = (baseUrl: string, given: string = token) =>
    clientOf(baseUrl, { token: async () => given, includeSoft: true, pageSize: 1_000 })
  return {
    url,
    log,
    clientAt,
    client: clientAt(url.baseUrl),
    sameInstance,
    [Symbol.asyncDispose]: async () => {
      await url[Symbol.asyncDispose]()
      await sameInstance[Symbol.asyncDispose]()
    },
  }
}

describe("the bridge's client, at the simulator's function URL", () => {
  it.each([
    ['page', 'bounces', 0.9],
    ['page', 'complaints', 0.1],
    ['cursor', 'bounces', 0.9],
    ['cursor', 'complaints', 0.1],
  ] as const)(
    'with next by %s, reads every record of %s once, from as many instances as pages',
    async (next, stream, share) => {
      const retentionSeconds = 40_000
      await using running = await start({
        SIMULATOR_NEXT: next,
        SIMULATOR_RETENTION: String(retentionSeconds),
        SIMULATOR_RATE: '0.5',
      })
      const { client, url } = running
      const ids: unknown[] = []
      const seconds: number[] = []
      let nextQuery: string | null = null
      do {
        const page = await client.listPage({ ...first, stream, nextQuery })
        for (const { text } of page.records) {
          const { uuid, timelogged } = JSON.parse(text)
          ids.push(uuid)
          seconds.push(timelogged)
        }
        nextQuery = page.next === null ? null : new URL(page.next).search.slice(1)
      } while (nextQuery !== null)
      const records = 0.5 * share * retentionSeconds
      expect(Math.abs(ids.length - records)).toBeLessThanOrEqual(1)
      expect(new Set(ids).size).toBe(ids.length)
      expect(seconds).toEqual(seconds.toSorted((left, right) => left - right))
      expect(Math.min(...seconds)).toBeGreaterThanOrEqual(nowMs / 1_000 - retentionSeconds)
      expect(url.events).toHaveLength(Math.ceil(ids.length / 1_000))
    },
  )

  it('goes on after an anchor, and is told of one that the list does not know', async () => {
    await using running = await start()
    const { client } = running
    const page = await client.listBounces(first)
    const lastId = page.records[499]?.record?.uuid ?? ''
    const after = await client.listBounces({ ...first, lastId })
    expect(after.records.slice(0, 500).map(({ record }) => record?.uuid)).toEqual(
      page.records.slice(500).map(({ record }) => record?.uuid),
    )
    const unknown = await refusalOf(
      client.listBounces({ ...first, lastId: '00000000-0000-4000-8000-000000000000' }),
    )
    if (!(unknown instanceof ValidationFailed)) throw unknown
    expect(Object.keys(unknown.fields)).toEqual(['last_id'])
  })

  it.each(authSchemes)('is let in by the scheme %s, with the limit in the headers', async authScheme => {
    await using running = await start()
    await using client = clientOf(running.url.baseUrl, { token: async () => token, authScheme })
    for (const stream of streamNames) {
      const page = await client.listPage({ ...first, stream })
      expect(page.rateLimit).toEqual({ limit: 60, remaining: 59, resetAtMs: expect.any(Number) })
      expect(page.records.length).toBeGreaterThan(0)
    }
    expect((await client.listContactLists()).lists).toHaveLength(3)
    expect(running.log.map(({ route, scheme, status }) => [route, scheme, status])).toEqual([
      ['bounces', authScheme, 200],
      ['complaints', authScheme, 200],
      ['contacts', 'X-API-Key', 200],
    ])
  })

  it('is refused with another token, or one that only begins like it', async () => {
    await using running = await start()
    for (const wrong of ['x', token.slice(0, -1), `${token}x`, 'simulator-token']) {
      await using client = running.clientAt(running.url.baseUrl, wrong)
      for (const stream of streamNames) {
        expect(await refusalOf(client.listPage({ ...first, stream }))).toBeInstanceOf(Unauthorized)
      }
      expect(await refusalOf(client.listContactLists())).toBeInstanceOf(Unauthorized)
    }
    expect(new Set(running.log.map(({ status }) => status))).toEqual(new Set([401]))
  })

  it('is limited by the requests of one instance, with the time to wait', async () => {
    await using running = await start({ SIMULATOR_RATE_LIMIT: '3' })
    await using client = running.clientAt(running.sameInstance.baseUrl)
    const remaining = []
    for (let requests = 0; requests < 3; requests += 1) {
      remaining.push((await client.listPage(first)).rateLimit?.remaining)
    }
    expect(remaining).toEqual([2, 1, 0])
    const limited = await refusalOf(client.listPage(first))
    if (!(limited instanceof RateLimited)) throw limited
    expect(limited.facts.rateLimit).toMatchObject({ limit: 3, remaining: 0 })
    expect(limited.retryAtMs).toBe(nowMsOfClient + 60_000)
  })

  it.each([
    ['500', ServerError, 500],
    ['599', ServerError, 599],
    ['garbage', UnreadablePage, 200],
    ['html', UnreadablePage, 200],
    ['empty', UnreadablePage, 200],
  ] as const)('meets the fault %s as the server has it', async (fault, error, status) => {
    await using running = await start({ SIMULATOR_FAULT: `${fault}:1` })
    const refusal = await refusalOf(running.client.listPage(first))
    expect(refusal).toBeInstanceOf(error)
    expect(refusal).toMatchObject({ status })
    expect(running.log.map(entry => entry.fault)).toEqual([/^\d/.test(fault) ? Number(fault) : fault])
  })

  it('gets the text of every alphabet whole', async () => {
    await using running = await start()
    const { lists } = await running.client.listContactLists()
    expect(lists).toContainEqual(expect.objectContaining({ name: 'Tëst – 列表' }))
  })
})
