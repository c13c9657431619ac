import { describe, expect, it } from 'vitest'
import { createHandler, type RequestEntry } from '../../../infra/simulator/lambda-handler.ts'
import { readLambdaSettings } from '../../../infra/simulator/lambda-settings.ts'
import { createSimulator } from '../../../infra/simulator/simulator.ts'
import { type Envelope, idsOf, parseEnvelope } from './simulator-fixtures.ts'

const token = 'the-token-of-the-secret'
const nowMs = Date.UTC(2026, 10, 20, 9, 30)
const dayMs = 86_400_000
const host = 'abc.lambda-url.eu-west-1.on.aws'

const settingsOf = (given: Record<string, string> = {}) =>
  readLambdaSettings({ TOKEN_SECRET: 'bridge/token-simulator', ...given })

const handlerOf = (
  given: Record<string, string> = {},
  changes: Partial<Parameters<typeof createHandler>[0]> = {},
) =>
  createHandler({
    options: settingsOf(given).options,
    readToken: async () => token,
    now: () => nowMs,
    log: () => {},
    ...changes,
  })

/** Payload format 2.0, as far as anything depends on it; the values of a repeated key run together in it. */
const eventOf = (
  target: string,
  {
    method = 'GET',
    headers = { authorization: `Token ${token}` },
  }: { method?: string; headers?: Record<string, string> } = {},
) => {
  const [rawPath = '', rawQueryString = ''] = `/api/v2/${target}`.split('?')
  const queryStringParameters: Record<string, string> = {}
  for (const [name, value] of new URLSearchParams(rawQueryString)) {
    queryStringParameters[name] =
      name in queryStringParameters ? `${queryStringParameters[name]},${value}` : value
  }
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath,
    rawQueryString,
    headers: { host, ...headers },
    queryStringParameters,
    requestContext: { domainName: host, http: { method, path: rawPath, protocol: 'HTTP/1.1' } },
    isBase64Encoded: false,
  }
}

const pageOf = async (handler: ReturnType<typeof handlerOf>, target: string): Promise<Envelope> =>
  parseEnvelope((await handler(eventOf(target))).body)

describe('the simulator behind a function URL', () => {
  it.each([
    ['bounces', {}],
    ['fbl?order=asc&page_size=7&page=3', {}],
    ['bounces?include_soft=1&page_size=5', {}],
    // The first of a repeated key counts: joined by a comma they would be a 422.
    ['bounces?order=asc&order=desc&page_size=3', {}],
    ['bounces?last_id=%6eo-uuid&order=%61sc', {}],
    ['bounces?last_id=a%26b%3D%2B+c', {}],
    ['contacts-lists/?range=today', { headers: { 'x-api-key': token } }],
    ['contacts-lists/', {}],
    ['bounces', { method: 'POST' }],
    ['bounces', { headers: {} }],
    ['bounces', { headers: { authorization: 'Token wrong' } }],
    ['nothing-here', {}],
  ] as const)('answers %s %o as the simulator does', async (target, changes) => {
    const event = eventOf(target, changes)
    const simulator = createSimulator({ ...settingsOf().options, token, now: () => nowMs })
    const { answer } = await simulator.handle({
      method: event.requestContext.http.method,
      path: event.rawPath,
      query: event.rawQueryString,
      headers: event.headers,
      host,
      scheme: 'https',
    })
    expect(await handlerOf()(event)).toEqual({
      statusCode: answer.status,
      headers: answer.headers,
      body: answer.body,
      isBase64Encoded: false,
    })
  })

  it('shows the same from every instance, whenever that was started', async () => {
    let atMs = nowMs - 3 * dayMs
    const started = handlerOf({}, { now: () => atMs })
    await pageOf(started, 'bounces')
    atMs = nowMs
    const target = 'bounces?order=asc&page_size=50&page=40'
    const page = await pageOf(started, target)
    expect(page.results).toHaveLength(50)
    expect(page).toEqual(await pageOf(handlerOf(), target))
    expect(idsOf(page)).not.toEqual(idsOf(await pageOf(handlerOf({ SIMULATOR_SEED: '2' }), target)))
  })

  it('keeps a record what and where it was, while newer ones come', async () => {
    const target = 'bounces?order=asc&include_soft=1&page_size=1'
    const newest = (await pageOf(handlerOf(), 'bounces?include_soft=1&page_size=1')).results[0]
    const later = handlerOf({}, { now: () => nowMs + 7 * dayMs })
    const after = await pageOf(later, `${target}&last_id=${newest?.uuid}`)
    expect(Math.abs(after.count - 7 * 86_400 * 0.1 * 0.9)).toBeLessThanOrEqual(1)
    expect(after.results[0]?.timelogged).toBeGreaterThan(nowMs / 1_000)
  })

  it('shows what came within thirty days and no more, however long ago it began', async () => {
    const month = 30 * 86_400 * 0.1
    for (const ms of [nowMs, nowMs + 3_650 * dayMs]) {
      const handler = handlerOf({}, { now: () => ms })
      const bounces = await pageOf(handler, 'bounces?include_soft=1&page_size=1')
      const complaints = await pageOf(handler, 'fbl?page_size=1')
      expect(Math.abs(bounces.count - 0.9 * month)).toBeLessThanOrEqual(1)
      expect(Math.abs(complaints.count - 0.1 * month)).toBeLessThanOrEqual(1)
    }
  })

  it.each(['bounces?include_soft=1&page_size=1000', 'fbl?page_size=1000'])(
    'fits the largest page of %s into the 6 MB of a response',
    async target => {
      const result = await handlerOf()(eventOf(target))
      expect(parseEnvelope(result.body).results).toHaveLength(1_000)
      expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThan(1_500_000)
    },
  )

  it('leads on over https, on the host that was called', async () => {
    const page = await pageOf(handlerOf(), 'bounces?page=2&page_size=1')
    expect(page.next).toBe(`https://${host}/api/v2/bounces?page_size=1&page=3`)
    expect(page.previous).toBe(`https://${host}/api/v2/bounces?page_size=1&page=1`)
  })

  it('refuses an event that comes from no function URL', async () => {
    const { requestContext: _, ...event } = eventOf('bounces')
    await expect(handlerOf()(event)).rejects.toThrow()
    await expect(handlerOf()({ ...eventOf('bounces'), version: '1.0' })).rejects.toThrow()
  })

  it('takes another token as soon as it is told of one, and the old one no more', async () => {
    let current = token
    const handler = handlerOf({}, { readToken: async () => current })
    expect((await handler(eventOf('bounces'))).statusCode).toBe(200)
    current = 'another-token'
    expect((await handler(eventOf('bounces'))).statusCode).toBe(401)
    const headers = { authorization: 'Token another-token' }
    expect((await handler(eventOf('bounces', { headers }))).statusCode).toBe(200)
  })

  it('answers nobody while the token can not be had', async () => {
    const failure = new Error('no token')
    const handler = handlerOf({}, { readToken: () => Promise.reject(failure) })
    for (const authorization of ['Token simulator-token', 'Token ', `Token ${token}`]) {
      await expect(handler(eventOf('bounces', { headers: { authorization } }))).rejects.toBe(failure)
    }
  })

  it('logs what was asked for and answered, and nothing that a caller made up', async () => {
    const entries: RequestEntry[] = []
    const handler = handlerOf({ SIMULATOR_FAULT: '503:1' }, { log: entry => entries.push(entry) })
    await handler(eventOf('bounces?token=a-secret', { headers: { authorization: 'Bearer a-secret' } }))
    await handler(eventOf('jo@example.com', { headers: {} }))
    expect(entries).toEqual([
      { message: 'request', route: 'bounces', status: 503, scheme: 'Bearer', fault: 503 },
      { message: 'request', route: 'nothing', status: 503, scheme: null, fault: 503 },
    ])
  })
})
