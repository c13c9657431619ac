import { Agent } from 'undici'
import { describe, expect, it } from 'vitest'
import { ContactsTokenMissing, TokenUnusable } from '../../../shared/adapters/feedback-api/errors.ts'
import { FeedbackApiError } from '../../../shared/domain/polling/feedback-api.ts'
import { atMs, clientOf, first, refusalOf, startService, token } from './service.ts'

const emptyPage = '{"count":0,"next":null,"previous":null,"results":[]}'

describe('a request for a page', () => {
  it('is a GET of the list with order, content type and token', async () => {
    await using service = await startService((_, response) => response.end(emptyPage))
    await using client = clientOf(service.baseUrl, { includeSoft: true, pageSize: 1000 })
    await client.listPage({ ...first, lastId: 'a-b' })
    await client.listPage({ ...first, stream: 'complaints' })
    expect(service.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /api/v2/bounces?order=asc&include_soft=1&page_size=1000&last_id=a-b',
      'GET /api/v2/fbl?order=asc&page_size=1000',
    ])
    for (const { headers } of service.requests)
      expect(headers).toMatchObject({ 'content-type': 'application/json', authorization: `Token ${token}` })
  })

  it.each([
    ['Token', 'authorization', `Token ${token}`],
    ['Bearer', 'authorization', `Bearer ${token}`],
    ['X-API-Key', 'x-api-key', token],
  ] as const)('carries the token as %s says, and once', async (authScheme, header, value) => {
    await using service = await startService((_, response) => response.end(emptyPage))
    await using client = clientOf(service.baseUrl, { authScheme, token: async () => `${token}\n` })
    await client.listPage(first)
    const headers = service.requests[0]?.headers ?? {}
    expect(Object.entries(headers).filter(([, text]) => String(text).includes(token))).toEqual([
      [header, value],
    ])
  })

  it('asks for the token each time, so that a new one counts at once', async () => {
    await using service = await startService((_, response) => response.end(emptyPage))
    const tokens = ['old', 'new']
    await using client = clientOf(service.baseUrl, { token: async () => tokens.shift() ?? '' })
    await client.listPage(first)
    await client.listPage(first)
    expect(service.requests.map(({ headers }) => headers.authorization)).toEqual(['Token old', 'Token new'])
  })

  it.each(['', ' ', 'zwei wörter', 'a\r\nx: y', 'z'.repeat(10_000)])(
    'is not sent with a token that no header can carry',
    async unusable => {
      await using service = await startService((_, response) => response.end(emptyPage))
      await using client = clientOf(service.baseUrl, { token: async () => unusable })
      const error = await refusalOf(client.listPage(first))
      expect(error).toBeInstanceOf(TokenUnusable)
      expect(error).toMatchObject({ failure: 'refused', status: null })
      expect(service.requests).toEqual([])
    },
  )

  it('goes over connections that are kept', async () => {
    await using service = await startService((_, response) => response.end(emptyPage))
    await using client = clientOf(service.baseUrl)
    for (let page = 0; page < 20; page++) await client.listPage(first)
    await Promise.all(Array.from({ length: 20 }, () => client.listPage(first)))
    expect(service.clients).toBeLessThanOrEqual(4)
  })

  it('goes through a dispatcher that was given, which stays open', async () => {
    await using service = await startService((_, response) => response.end(emptyPage))
    const dispatcher = new Agent()
    const client = clientOf(service.baseUrl, { dispatcher })
    await client.listPage(first)
    await client.close()
    expect(dispatcher.closed).toBe(false)
    await dispatcher.close()
  })
})

describe('an answer that is a page', () => {
  it('comes back with verbatim records, next and what the headers say', async () => {
    const record = String.raw`{"uuid":"a", "n":12345678901234567890, "rcpt":"\ud83d\ude00 \ud800 ж"}`
    const body = `{"count":1,"next":"http://other.example/api/v2/bounces?page=2","results":[ ${record} ]}`
    await using service = await startService((_, response) => {
      response.setHeader('Date', 'Fri, 20 Nov 2026 09:29:00 GMT')
      response.setHeader('X-RateLimit-Limit', '60')
      response.setHeader('X-RateLimit-Remaining', '59')
      response.setHeader('X-RateLimit-Reset', '30')
      response.end(body)
    })
    await using client = clientOf(service.baseUrl)
    const page = await client.listPage(first)
    expect(page).toEqual({
      records: [{ text: record, value: JSON.parse(record) }],
      next: 'http://other.example/api/v2/bounces?page=2',
      count: 1,
      bytes: Buffer.byteLength(body),
      serverDateMs: atMs - 60_000,
      rateLimit: { limit: 60, remaining: 59, resetAtMs: atMs + 30_000 },
    })
  })

  it('is read as UTF-8 across chunks; a byte order mark is skipped and bytes that are no UTF-8 become U+FFFD', async () => {
    const start = Buffer.from('\ufeff{"results":["ж😀')
    await using service = await startService((_, response) => {
      response.write(start.subarray(0, -2), () => {
        response.write(start.subarray(-2), () => response.end(Buffer.from([0xff, 0x22, 0x5d, 0x7d])))
      })
    })
    await using client = clientOf(service.baseUrl)
    expect((await client.listPage(first)).records).toEqual([{ text: '"ж😀\ufffd"', value: 'ж😀\ufffd' }])
  })

  it('is typed by its list', async () => {
    const rows = {
      bounces: { uuid: 'b', timelogged: 1763631000, bounce_type: 'h', rcpt: 'x', odd: [1] },
      complaints: { uuid: 'c', timelogged: '1763631000', header_subject: 'Hi' },
    }
    await using service = await startService((request, response) => {
      const row = request.url?.startsWith('/api/v2/fbl') ? rows.complaints : rows.bounces
      response.end(JSON.stringify({ results: [row, 7] }))
    })
    await using client = clientOf(service.baseUrl)
    const [bounces, complaints] = await Promise.all([client.listBounces(first), client.listComplaints(first)])
    expect(bounces.records.map(({ record }) => record)).toEqual([rows.bounces, null])
    expect(complaints.records.map(({ record }) => record)).toEqual([rows.complaints, null])
  })
})

describe('a next on another origin', () => {
  it('is asked for at our own URL and path: only its query is used, and no token goes elsewhere', async () => {
    await using other = await startService((_, response) => response.end(emptyPage))
    await using service = await startService((request, response) => {
      const next = request.url?.includes('cursor=')
        ? null
        : `${other.baseUrl}/elsewhere?cursor=c%2B1&order=asc`
      response.end(JSON.stringify({ next, results: [] }))
    })
    await using client = clientOf(service.baseUrl)
    const { next } = await client.listPage(first)
    const nextQuery = new URL(next ?? '').search.slice(1)
    expect((await client.listPage({ ...first, nextQuery })).next).toBeNull()
    expect(service.requests.map(({ url }) => url)).toEqual([
      '/api/v2/bounces?order=asc',
      '/api/v2/bounces?cursor=c%2B1&order=asc',
    ])
    expect(other.requests).toEqual([])
  })

  it.each(['@127.0.0.1:1/', '#@evil', 'http://evil.example/?x=1', 'a b\r\nHost: evil'])(
    'can not be forged by a query: %s',
    async nextQuery => {
      await using service = await startService((_, response) => response.end(emptyPage))
      await using client = clientOf(service.baseUrl)
      await client.listPage({ ...first, nextQuery })
      expect(service.requests.map(({ url }) => new URL(url, service.baseUrl).pathname)).toEqual([
        '/api/v2/bounces',
      ])
      expect(service.requests[0]?.headers.host).toBe(new URL(service.baseUrl).host)
    },
  )
})

describe('the contacts lists', () => {
  const lists = [{ id: 1, name: 'News', odd: true }]

  it('are asked for with X-API-Key only, whatever the scheme of the other lists', async () => {
    await using service = await startService((_, response) => response.end(JSON.stringify(lists)))
    await using client = clientOf(service.baseUrl, { authScheme: 'Bearer' })
    expect(await client.listContactLists()).toMatchObject({ lists, envelope: null })
    expect(service.requests[0]).toMatchObject({ method: 'GET', url: '/api/v2/contacts-lists/' })
    expect(service.requests[0]?.headers['x-api-key']).toBe(token)
    expect(service.requests[0]?.headers.authorization).toBeUndefined()
  })

  it('are asked for at a base URL of their own with a token of their own', async () => {
    await using source = await startService((_, response) => response.end(emptyPage))
    await using contacts = await startService((_, response) =>
      response.end(JSON.stringify({ results: lists })),
    )
    await using client = clientOf(source.baseUrl, {
      contactsBaseUrl: contacts.baseUrl,
      contactsToken: async () => 'contacts-token',
    })
    expect((await client.listContactLists({ nextQuery: 'page=2' })).lists).toEqual(lists)
    expect(contacts.requests.map(({ url, headers }) => [url, headers['x-api-key']])).toEqual([
      ['/api/v2/contacts-lists/?page=2', 'contacts-token'],
    ])
    expect(source.requests).toEqual([])
  })

  it('of another origin never get the token of the source', async () => {
    await using source = await startService((_, response) => response.end(emptyPage))
    await using contacts = await startService((_, response) => response.end('[]'))
    await using client = clientOf(source.baseUrl, { contactsBaseUrl: contacts.baseUrl })
    const error = await refusalOf(client.listContactLists())
    expect(error).toBeInstanceOf(ContactsTokenMissing)
    expect(error).toBeInstanceOf(FeedbackApiError)
    expect(contacts.requests).toEqual([])
  })
})
