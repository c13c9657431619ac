import { describe, expect, it } from 'vitest'
import { createSimulator, requestsKeptMax, type SimulatorSetup } from '../../../infra/simulator/simulator.ts'
import { get, getPage, requestTo, sampleRows, startMs, startSecond } from './simulator-fixtures.ts'

const simulate = (setup: SimulatorSetup = {}) => createSimulator({ now: () => startMs, ...setup })

const statusOf = async (setup: SimulatorSetup, target: string, headers?: Record<string, string>) =>
  (await get(simulate(setup), target, headers === undefined ? {} : { headers })).answer.status

describe('a 422', () => {
  it('names every field that is wrong, with messages', async () => {
    const { answer } = await get(
      simulate(),
      'bounces?order=up&include_soft=yes&page=0&page_size=1001&last_id=',
    )
    expect(answer.status).toBe(422)
    const body: Record<string, string[]> = JSON.parse(answer.body)
    expect(Object.keys(body).sort()).toEqual(['include_soft', 'last_id', 'order', 'page', 'page_size'])
    for (const messages of Object.values(body)) expect(messages).toEqual([expect.any(String)])
  })

  it('has what belongs to no field under non_field_errors, and refuses a made-up cursor', async () => {
    const { answer } = await get(simulate(), 'fbl?page=1&cursor=made-up')
    expect(Object.keys(JSON.parse(answer.body)).sort()).toEqual(['cursor', 'non_field_errors'])
  })

  it('does not look at a parameter that the reading ignores', async () => {
    expect(await statusOf({ order: 'ignored' }, 'bounces?order=up')).toBe(200)
    expect(await statusOf({ pageSizeParameter: 'ignored' }, 'bounces?page_size=x')).toBe(200)
  })

  it('takes the other forms of error bodies', async () => {
    const bodyOf = async (errorBody: 'detail' | 'html' | 'empty') =>
      (await get(simulate({ errorBody }), 'bounces?order=up')).answer.body
    expect(JSON.parse(await bodyOf('detail'))).toEqual({ detail: 'Must be asc or desc.' })
    expect(await bodyOf('html')).toMatch(/^<!doctype html>/)
    expect(await bodyOf('empty')).toBe('')
  })
})

describe('authentication', () => {
  it('takes both scheme words and X-API-Key on the lists', async () => {
    expect(await statusOf({}, 'bounces', { authorization: 'Token simulator-token' })).toBe(200)
    expect(await statusOf({}, 'fbl', { authorization: 'bearer simulator-token' })).toBe(200)
    expect(await statusOf({}, 'fbl', { 'x-api-key': 'simulator-token' })).toBe(200)
    expect(await statusOf({ auth: 'token' }, 'fbl', { 'x-api-key': 'simulator-token' })).toBe(401)
  })

  it('answers 401 to no token, a wrong one and another scheme', async () => {
    const wrong: Record<string, string>[] = [
      {},
      { authorization: 'Token wrong' },
      { authorization: 'Basic simulator-token' },
    ]
    for (const headers of wrong) expect(await statusOf({}, 'bounces', headers)).toBe(401)
  })

  it('takes only X-API-Key on the contact lists, with a token of their own', async () => {
    const setup = { contactsToken: 'contacts' }
    expect(await statusOf(setup, 'contacts-lists/', { 'x-api-key': 'contacts' })).toBe(200)
    expect(await statusOf(setup, 'contacts-lists/', { 'x-api-key': 'simulator-token' })).toBe(401)
    expect(await statusOf(setup, 'contacts-lists/', { authorization: 'Token contacts' })).toBe(401)
  })

  it('answers 403 on the lists and 401 on the contact lists to a token without a profile', async () => {
    expect(await statusOf({ profile: false }, 'bounces')).toBe(403)
    expect(await statusOf({ profile: false }, 'contacts-lists/', { 'x-api-key': 'simulator-token' })).toBe(
      401,
    )
  })
})

describe('the contact lists', () => {
  it('come in pages, and refuse what the specification names as refused', async () => {
    const headers = { 'x-api-key': 'simulator-token' }
    const simulator = simulate()
    const { answer } = await get(simulator, 'contacts-lists/?page_size=2', { headers })
    const body = JSON.parse(answer.body)
    expect(body.count).toBe(3)
    expect(body.results.map(({ id }: { id: number }) => id)).toEqual([1, 2])
    expect(body.next).toBe('http://simulator.example:8025/api/v2/contacts-lists/?page_size=2&page=2')
    const refused = await get(simulator, 'contacts-lists/?range=ever&page=x', { headers })
    expect(refused.answer.status).toBe(422)
    expect(Object.keys(JSON.parse(refused.answer.body)).sort()).toEqual(['page', 'range'])
  })
})

describe('the rate limit', () => {
  it('is stated on every answer and ends in a 429 until the window is over', async () => {
    let nowMs = startMs
    const simulator = simulate({ rateLimit: 2, now: () => nowMs })
    const targets = ['bounces', 'nowhere', 'fbl']
    const answers = []
    for (const target of targets) {
      answers.push((await get(simulator, target)).answer)
      nowMs += 10_500
    }
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 429])
    expect(answers.map(({ headers }) => headers['x-ratelimit-limit'])).toEqual(['2', '2', '2'])
    expect(answers.map(({ headers }) => headers['x-ratelimit-remaining'])).toEqual(['1', '0', '0'])
    expect(answers.map(({ headers }) => headers['x-ratelimit-reset'])).toEqual(['60', '50', '39'])
    expect(answers.map(({ headers }) => headers['retry-after'])).toEqual([undefined, undefined, '39'])
    expect(JSON.parse(answers[2]?.body ?? '')).toEqual({ errors: ['Too many requests.'] })
    nowMs = startMs + 60_000
    expect((await get(simulator, 'fbl')).answer.status).toBe(200)
  })

  it('counts each key apart', async () => {
    const simulator = simulate({ rateLimit: 1 })
    const other = { headers: { authorization: 'Token other' } }
    expect((await get(simulator, 'bounces')).answer.status).toBe(200)
    expect((await get(simulator, 'bounces', other)).answer.status).toBe(401)
    expect((await get(simulator, 'bounces', other)).answer.status).toBe(429)
  })

  it('states its reset as a time, and nothing on the lists, where the reading says so', async () => {
    const unix = await get(simulate({ reset: 'unix' }), 'bounces')
    expect(unix.answer.headers['x-ratelimit-reset']).toBe(String(startSecond + 60))
    const silent = simulate({ rateLimitHeaders: 'never', rateLimit: 1 })
    const answers = [(await get(silent, 'bounces')).answer, (await get(silent, 'bounces')).answer]
    expect(answers.map(({ headers }) => Object.keys(headers).sort())).toEqual([
      ['content-type', 'date'],
      ['content-type', 'date', 'retry-after'],
    ])
  })

  it('is not stated where it is lifted', async () => {
    const { answer } = await get(simulate({ rateLimit: 0 }), 'bounces')
    expect(answer.headers).toEqual({
      date: new Date(startMs).toUTCString(),
      'content-type': 'application/json',
    })
  })
})

describe('faults', () => {
  const outcomesOf = async (simulator: ReturnType<typeof simulate>, count: number) => {
    const outcomes = []
    for (let at = 0; at < count; at += 1) outcomes.push(await get(simulator, 'bounces'))
    return outcomes
  }

  it('hit their share of the requests, the same ones for the same seed', async () => {
    const setup: SimulatorSetup = {
      rateLimit: 0,
      fault: [
        { fault: 503, share: 0.1 },
        { fault: 'timeout', share: 0.05 },
        { fault: 'garbage', share: 0.05 },
      ],
    }
    const simulator = simulate(setup)
    const outcomes = await outcomesOf(simulator, 2000)
    expect(await outcomesOf(simulate(setup), 2000)).toEqual(outcomes)
    const logged = simulator.requests.map(({ fault }) => fault)
    const share = (fault: unknown) => logged.filter(one => one === fault).length / 2000
    expect(share(503)).toBeCloseTo(0.1, 1)
    expect(share('timeout')).toBeCloseTo(0.05, 1)
    expect(share(null)).toBeCloseTo(0.8, 1)
    expect(outcomes.filter(({ answer }) => answer.status === 503)).toHaveLength(
      logged.filter(one => one === 503).length,
    )
  })

  it('put in place of one answer by an intercept leave the others alone', async () => {
    const simulator = simulate()
    simulator.setIntercept(request => (request.path.endsWith('/fbl') ? { fault: 'empty' } : undefined))
    expect((await get(simulator, 'fbl')).answer.body).toBe('')
    expect((await getPage(simulator, 'bounces')).count).toBe(0)
    simulator.setIntercept(async (_, answer) => ({ body: answer.body.replace('null', '"/again"') }))
    expect((await get(simulator, 'fbl')).answer).toMatchObject({
      status: 200,
      body: expect.stringContaining('"/again"'),
    })
    simulator.setIntercept(null)
    expect((await getPage(simulator, 'fbl')).next).toBeNull()
  })
})

describe('what was requested', () => {
  it('is remembered without the token, and only the newest of it', async () => {
    const simulator = simulate({ rateLimit: 0 })
    await get(simulator, 'bounces?page=2')
    expect(simulator.requests).toEqual([
      {
        atMs: startMs,
        method: 'GET',
        path: '/api/v2/bounces',
        query: 'page=2',
        scheme: 'Token',
        status: 200,
        fault: null,
      },
    ])
    expect((await simulator.handle(requestTo('fbl', { method: 'POST' }))).answer).toMatchObject({
      status: 405,
      headers: { allow: 'GET' },
    })
    for (let at = 0; at < requestsKeptMax; at += 1) await get(simulator, 'nowhere')
    expect(simulator.requests).toHaveLength(requestsKeptMax)
    expect(simulator.requestCount).toBe(requestsKeptMax + 2)
  })
})

describe('a page', () => {
  it('shows the time in the unit of the reading', async () => {
    const simulator = simulate()
    simulator.add('bounces', [{ uuid: 'a', second: startSecond }])
    const shown = []
    for (const reading of ['s', 'ms', 'string', 'rfc3339'] as const) {
      simulator.setOption('timelogged', reading)
      shown.push((await getPage(simulator, 'bounces')).results[0]?.timelogged)
    }
    expect(shown).toEqual([startSecond, startMs, String(startSecond), '2026-01-31T12:00:00.000Z'])
  })

  it('names another host in next where told so, and keeps every other parameter', async () => {
    const simulator = simulate({ nextHost: 'other.example:99', records: sampleRows, backlog: 60 })
    const page = await getPage(simulator, 'bounces?order=asc&include_soft=1&page_size=7&page=2&x=%26')
    const parameters = 'order=asc&include_soft=1&page_size=7&x=%26'
    expect(page.next).toBe(`http://other.example:99/api/v2/bounces?${parameters}&page=3`)
    expect(page.previous).toBe(`http://other.example:99/api/v2/bounces?${parameters}&page=1`)
  })

  it('beyond the end is empty and leads back to the last one', async () => {
    const simulator = simulate()
    simulator.add('bounces', [{ uuid: 'a', second: startSecond }])
    const page = await getPage(simulator, 'bounces?page=9')
    expect(page).toMatchObject({ count: 1, next: null, results: [] })
    expect(page.previous).toBe('http://simulator.example:8025/api/v2/bounces?page=1')
  })

  it('shows added text as it is, whatever it is, and lone surrogates escaped', async () => {
    const simulator = simulate()
    simulator.add('bounces', [
      { uuid: 'a', second: 1, json: '{"uuid":"a", "big": 12345678901234567890}' },
      { uuid: 'b', second: 2, json: '[1]' },
      { uuid: 'c', second: 3, fields: { rcpt: '\ud83d', timelogged: 'never' } },
    ])
    const { answer } = await get(simulator, 'bounces?order=asc&include_soft=1')
    expect(answer.body).toContain(
      '"results":[{"uuid":"a", "big": 12345678901234567890},[1],{"uuid":"c","timelogged":"never","rcpt":"\\ud83d"}]',
    )
    expect(() => simulator.add('bounces', [{ uuid: 'a', second: 9 }])).toThrow('has a record a already')
  })
})

describe('own records', () => {
  const rows = [
    { uuid: 'b2', timelogged: 1_700_000_000_000, bounce_type: 'h' },
    { uuid: 'b1', timelogged: '1600000000', bounce_type: 's' },
    { uuid: 'c1', timelogged: '2026-01-31T11:59:59Z', header_subject: 'x', _arf: {} },
    { timelogged: null, header_subject: 'y' },
  ]

  it('are shown once each, with their own ids and fresh times', () => {
    const simulator = simulate({ records: rows, rate: 4, now: () => startMs + 60_000, startMs })
    const shown = simulator.records('bounces').map(({ uuid, second }) => [uuid, second - startSecond])
    expect(shown).toEqual([
      ['b2', 0],
      ['b1', 0],
    ])
    expect(simulator.records('complaints')).toHaveLength(2)
  })

  it('keep their times where told so', async () => {
    const simulator = simulate({ records: rows, rate: 4, keepTimes: true })
    expect(simulator.records('bounces').map(({ uuid, second }) => [uuid, second])).toEqual([
      ['b1', 1_600_000_000],
      ['b2', 1_700_000_000],
    ])
    expect((await getPage(simulator, 'fbl?order=asc')).results).toEqual([
      { uuid: 'c1', timelogged: startSecond - 1, header_subject: 'x' },
      { uuid: 'row-4', timelogged: null, header_subject: 'y' },
    ])
  })
})
