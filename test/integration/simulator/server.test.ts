import { afterEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { type RunningSimulator, startSimulator } from '../../../infra/simulator/server.ts'

const running: RunningSimulator[] = []
afterEach(async () => {
  await Promise.all(running.splice(0).map(simulator => simulator.close()))
})

const start = async (setup: Parameters<typeof startSimulator>[0] = {}): Promise<RunningSimulator> => {
  const simulator = await startSimulator(setup)
  running.push(simulator)
  return simulator
}

const request = (simulator: RunningSimulator, path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${simulator.url}${simulator.pathPrefix}/${path}`, {
    headers: { authorization: `Token ${simulator.token}` },
    ...init,
  })

const pageSchema = z.strictObject({
  count: z.int(),
  next: z.url().nullable(),
  previous: z.url().nullable(),
  results: z.array(z.looseObject({ uuid: z.uuid(), timelogged: z.int() })),
})

const walk = async (simulator: RunningSimulator, query: string): Promise<string[]> => {
  const ids: string[] = []
  let url: string | null = `${simulator.url}${simulator.pathPrefix}/${query}`
  while (url !== null) {
    const response: Response = await fetch(url, { headers: { authorization: `Bearer ${simulator.token}` } })
    const page = pageSchema.parse(await response.json())
    ids.push(...page.results.map(({ uuid }) => uuid))
    url = page.next
  }
  return ids
}

describe('the simulator over HTTP', () => {
  it('shows the real records, without what is no part of the API', async () => {
    const simulator = await start({ backlog: 300, pageSize: 1000 })
    const bounces = pageSchema.parse(await (await request(simulator, 'bounces?include_soft=1')).json())
    const complaints = pageSchema.parse(await (await request(simulator, 'fbl')).json())
    expect([bounces.count, complaints.count]).toEqual([270, 30])
    const fieldsOf = (page: typeof bounces) =>
      [...new Set(page.results.flatMap(row => Object.keys(row)))].sort()
    expect(fieldsOf(bounces)).toEqual(
      ['bounce_type', 'bouncecat', 'dsndiag', 'header_from', 'orig', 'rcpt', 'timelogged', 'uuid'].sort(),
    )
    expect(fieldsOf(complaints)).toEqual(
      [
        'header_from',
        'header_list_unsubscribe',
        'header_return_path',
        'header_subject',
        'orig',
        'rcpt',
        'timelogged',
        'uuid',
      ].sort(),
    )
    expect(new Set(bounces.results.map(({ bounce_type: type }) => type))).toEqual(new Set(['h', 's', 'e']))
  })

  const readings = [
    {},
    { lastId: 'timelogged', ties: 30 },
    { order: 'ignored' },
    { next: 'cursor', order: 'ignored-on-complaints' },
    { defaultOrder: 'asc', pageSizeParameter: 'ignored' },
  ] as const
  it.each(readings)('is walked by next to exactly what is visible: %o', async reading => {
    const simulator = await start({ backlog: 400, rateLimit: 0, ...reading })
    const visible = (stream: 'bounces' | 'complaints', includeSoft: boolean) =>
      simulator
        .records(stream, { includeSoft })
        .map(({ uuid }) => uuid)
        .sort()
    const hard = await walk(simulator, 'bounces?order=asc&page_size=33')
    expect(hard.sort()).toEqual(visible('bounces', false))
    const all = await walk(simulator, 'bounces?order=asc&page_size=33&include_soft=1')
    expect(all.sort()).toEqual(visible('bounces', true))
    const complaints = await walk(simulator, 'fbl?page_size=7')
    expect(complaints.sort()).toEqual(visible('complaints', true))
  })

  it('answers each status of the specification with its body and headers', async () => {
    const simulator = await start({ rateLimit: 7 })
    const answers = [
      await request(simulator, 'bounces'),
      await request(simulator, 'contacts-lists/', { headers: { 'x-api-key': simulator.contactsToken } }),
      await request(simulator, 'bounces?order=up'),
      await request(simulator, 'bounces/'),
      await request(simulator, 'fbl', { method: 'DELETE' }),
      await request(simulator, 'contacts-lists/'),
      await request(simulator, 'bounces', { headers: { authorization: 'Token wrong' } }),
      await request(simulator, 'fbl'),
      await request(simulator, 'fbl'),
      await request(simulator, 'fbl'),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 422, 404, 405, 401, 401, 200, 200, 429])
    for (const { headers } of answers) {
      expect(headers.get('x-ratelimit-limit')).toBe('7')
      expect(headers.get('x-ratelimit-remaining')).toMatch(/^\d$/)
      expect(Number(headers.get('x-ratelimit-reset'))).toBeLessThanOrEqual(60)
      expect(headers.get('content-type')).toBe('application/json')
      expect(headers.get('date')).not.toBeNull()
    }
    expect(await answers[2]?.json()).toEqual({ order: ['Must be asc or desc.'] })
    expect(await answers[9]?.json()).toEqual({ errors: ['Too many requests.'] })
    expect(answers[9]?.headers.get('retry-after')).toMatch(/^\d+$/)
    expect(simulator.requests.map(({ status }) => status)).toEqual(answers.map(({ status }) => status))
  })

  it('shows its own clock in Date', async () => {
    const simulator = await start({ now: () => Date.UTC(2026, 0, 31, 12) })
    const { headers } = await request(simulator, 'bounces')
    expect(headers.get('date')).toBe('Sat, 31 Jan 2026 12:00:00 GMT')
  })

  it('keeps a request hanging, resets it or cuts its answer short, and closes all the same', async () => {
    const simulator = await start({ backlog: 50 })
    simulator.setIntercept(() => ({ fault: 'reset' }))
    await expect(request(simulator, 'bounces')).rejects.toThrow('fetch failed')
    simulator.setIntercept(() => ({ fault: 'truncated' }))
    const cut = await request(simulator, 'bounces')
    expect(cut.status).toBe(200)
    await expect(cut.text()).rejects.toThrow('terminated')
    simulator.setIntercept(() => ({ fault: 'timeout' }))
    const hanging = request(simulator, 'bounces').then(
      () => 'answered',
      () => 'cut off',
    )
    await expect.poll(() => simulator.requests.length).toBe(3)
    await simulator.close()
    expect(await hanging).toBe('cut off')
    expect(simulator.requests.map(({ fault, status }) => [fault, status])).toEqual([
      ['reset', null],
      ['truncated', 200],
      ['timeout', null],
    ])
  })

  it('gives garbage, HTML and nothing as a 200, and any error status', async () => {
    const simulator = await start()
    const bodies = []
    for (const fault of ['garbage', 'html', 'empty', 502] as const) {
      simulator.setIntercept(() => ({ fault }))
      const response = await request(simulator, 'bounces')
      bodies.push([
        response.status,
        response.headers.get('content-type'),
        (await response.text()).slice(0, 9),
      ])
    }
    expect(bodies).toEqual([
      [200, 'application/json', '{"count":'],
      [200, 'text/html', '<!doctype'],
      [200, 'application/json', ''],
      [502, 'application/json', '{"errors"'],
    ])
  })

  it('holds a request until its intercept lets it go', async () => {
    const simulator = await start()
    const gate = Promise.withResolvers<undefined>()
    simulator.setIntercept(() => gate.promise)
    const held = request(simulator, 'bounces')
    await expect.poll(() => simulator.requests.length).toBe(1)
    expect(simulator.requests[0]?.status).toBeNull()
    gate.resolve(undefined)
    expect((await held).status).toBe(200)
  })
})
