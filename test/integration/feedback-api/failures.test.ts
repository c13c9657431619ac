import { createServer, type LookupFunction } from 'node:net'
import { inspect } from 'node:util'
import { Agent } from 'undici'
import { describe, expect, it } from 'vitest'
import {
  Forbidden,
  PageTooLarge,
  RateLimited,
  RedirectRefused,
  Rejected,
  ServerError,
  Unauthorized,
  Unreachable,
  UnreadablePage,
  ValidationFailed,
} from '../../../shared/adapters/feedback-api/errors.ts'
import { FeedbackApiError } from '../../../shared/domain/polling/feedback-api.ts'
import { atMs, clientOf, first, refusalOf, startService, token } from './service.ts'

const echo = `${token} for jo@example.com`

async function failure(call: Promise<unknown>): Promise<FeedbackApiError> {
  const error = await refusalOf(call)
  if (!(error instanceof FeedbackApiError)) throw error
  expect(`${inspect(error, { depth: 9 })} ${error.hint} ${JSON.stringify(error)}`).not.toMatch(
    /Zq7|jo@example/,
  )
  return error
}

describe('a refusal over HTTP', () => {
  it.each([
    [301, RedirectRefused],
    [400, Rejected],
    [401, Unauthorized],
    [403, Forbidden],
    [404, Rejected],
    [422, ValidationFailed],
    [429, RateLimited],
    [500, ServerError],
    [502, ServerError],
    [503, ServerError],
  ])(
    'of %i is its named error, with status and headers, and without token and address',
    async (status, kind) => {
      await using service = await startService((_, response) => {
        response.writeHead(status, {
          Date: 'Fri, 20 Nov 2026 09:30:00 GMT',
          'X-RateLimit-Remaining': '0',
          'Retry-After': '7',
          Location: '/elsewhere',
        })
        response.end(JSON.stringify({ last_id: [echo] }))
      })
      await using client = clientOf(service.baseUrl)
      const error = await failure(client.listPage(first))
      expect(error).toBeInstanceOf(kind)
      expect(error.message).toContain(
        `GET ${service.baseUrl}/api/v2/bounces was answered ${status}: last_id: [token]`,
      )
      expect(error).toMatchObject({
        status,
        retryAtMs: atMs + 7000,
        facts: { serverDateMs: atMs, rateLimit: { limit: null, remaining: 0, resetAtMs: null } },
      })
      expect(service.requests.length).toBe(1)
    },
  )

  it.each([
    [200, 0],
    [401, 1],
    [403, 1],
    [422, 0],
    [500, 0],
  ])(
    'of %i says %i times that the token was refused: a kept one may have been rotated',
    async (status, times) => {
      await using service = await startService((_, response) => response.writeHead(status).end())
      let told = 0
      const onTokenRefused = () => {
        told += 1
      }
      await using client = clientOf(service.baseUrl, { onTokenRefused })
      await refusalOf(client.listPage(first))
      expect(told).toBe(times)
    },
  )

  it('keeps its status where its body never ends, is endless, or breaks off', async () => {
    const chunk = Buffer.alloc(65_536, 'x')
    await using service = await startService((request, response) => {
      response.writeHead(401)
      if (request.url?.includes('endless')) {
        const pour = () => {
          while (response.write(chunk));
          response.once('drain', pour)
        }
        pour()
      } else if (request.url?.includes('breaks')) response.write('x', () => response.socket?.destroy())
      else response.write('silence')
    })
    await using client = clientOf(service.baseUrl, { requestTimeoutMs: 1500 })
    for (const nextQuery of ['endless', 'breaks', 'silent'])
      expect(await failure(client.listPage({ ...first, nextQuery }))).toBeInstanceOf(Unauthorized)
  })

  it('that redirects is not followed', async () => {
    await using other = await startService((_, response) => response.end('{"results":[]}'))
    await using service = await startService((_, response) => {
      response.writeHead(307, { Location: `${other.baseUrl}/api/v2/bounces?key=${token}` }).end()
    })
    await using client = clientOf(service.baseUrl)
    const error = await failure(client.listPage(first))
    expect(error.hint).toContain(`${other.baseUrl}/api/v2/bounces`)
    expect(other.requests).toEqual([])
  })
})

describe('an answer that is no page', () => {
  it.each([
    ['empty', ''],
    ['HTML', `<html>${echo}</html>`],
    ['JSON that breaks off', `{"results":[{"rcpt":"${echo}"}`],
    ['JSON of another shape', `{"results":"${echo}"}`],
  ])('but %s is an error without anything of its content that is secret', async (_, body) => {
    await using service = await startService((_, response) => response.end(body))
    await using client = clientOf(service.baseUrl)
    const error = await failure(client.listPage(first))
    expect(error).toBeInstanceOf(UnreadablePage)
    expect(error).toMatchObject({ failure: 'unreadable', status: 200 })
  })

  it('but too large is given up while it is read, whether its length was declared or not', async () => {
    const body = `{"results":["${'x'.repeat(200_000)}"]}`
    await using service = await startService((request, response) => {
      if (request.url?.includes('declared')) response.setHeader('Content-Length', body.length)
      response.write(body)
      if (request.url?.includes('declared')) response.end()
      // The other one never ends: only the bound ends it.
    })
    await using client = clientOf(service.baseUrl, { pageBytesMax: 100_000 })
    for (const nextQuery of ['declared', 'undeclared']) {
      const error = await failure(client.listPage({ ...first, nextQuery }))
      expect(error).toBeInstanceOf(PageTooLarge)
      expect(error).toMatchObject({ failure: 'unreachable', status: 200, code: 'feedback_page_too_large' })
    }
  })

  it('is one where it has exactly the bytes allowed', async () => {
    const body = '{"results":[]}'
    await using service = await startService((_, response) => response.end(body))
    await using client = clientOf(service.baseUrl, { pageBytesMax: body.length })
    expect((await client.listPage(first)).bytes).toBe(body.length)
  })
})

describe('no answer', () => {
  async function unreachable(call: Promise<unknown>): Promise<string> {
    const error = await failure(call)
    if (!(error instanceof Unreachable)) throw error
    expect(error.failure).toBe('unreachable')
    expect(error.code).toBe(`feedback_${error.reason}`)
    return error.reason
  }

  it('in time, or only half of one, is a time-out', async () => {
    await using service = await startService((request, response) => {
      if (request.url?.includes('half')) response.write('{"results":[')
    })
    await using client = clientOf(service.baseUrl, { requestTimeoutMs: 100 })
    expect(await unreachable(client.listPage(first))).toBe('timeout')
    expect(await unreachable(client.listPage({ ...first, nextQuery: 'half' }))).toBe('timeout')
  })

  it('but a closed connection is a reset, before the headers and within the body', async () => {
    await using service = await startService((request, response) => {
      if (request.url?.includes('half')) {
        response.setHeader('Content-Length', 1000)
        response.write('{"results":[', () => response.socket?.destroy())
      } else if (request.url?.includes('chunked')) {
        response.write('{"results":[]}', () => response.socket?.destroy())
      } else request.socket.resetAndDestroy()
    })
    await using client = clientOf(service.baseUrl)
    for (const nextQuery of ['reset', 'half', 'chunked'])
      expect(await unreachable(client.listPage({ ...first, nextQuery }))).toBe('connection_reset')
  })

  it('where nothing listens is a refused connection', async () => {
    const service = await startService(() => {})
    await service[Symbol.asyncDispose]()
    await using client = clientOf(service.baseUrl)
    expect(await unreachable(client.listPage(first))).toBe('connection_refused')
  })

  it('from a name that does not exist is told as that', async () => {
    const lookup: LookupFunction = (_, __, done) =>
      done(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }), '')
    const dispatcher = new Agent({ connect: { lookup } })
    await using client = clientOf('http://no-such-host.invalid', { dispatcher })
    expect(await unreachable(client.listPage(first))).toBe('dns_failed')
    await dispatcher.close()
  })

  it('in HTTP, or in TLS, is told as that', async () => {
    const server = createServer(socket => {
      // Read to its end, or the server would wait for it when it closes.
      socket.on('error', () => {}).resume()
      socket.end(`SSH-2.0 ${echo}\r\n`)
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : null
    await using http = clientOf(`http://127.0.0.1:${port}`)
    await using https = clientOf(`https://127.0.0.1:${port}`)
    expect(await unreachable(http.listPage(first))).toBe('invalid_response')
    expect(await unreachable(https.listPage(first))).toBe('tls_failed')
    await new Promise(resolve => server.close(resolve))
  })

  it('because the caller ended it is told as that: before it was sent, before the headers, within a body', async () => {
    let stop = new AbortController()
    await using service = await startService((request, response) => {
      if (request.url?.includes('half')) response.write('{"results":[')
      if (request.url?.includes('refused')) response.writeHead(500).write('wait')
      stop.abort()
    })
    await using client = clientOf(service.baseUrl)
    expect(await unreachable(client.listPage(first, stop.signal))).toBe('aborted')
    expect(await unreachable(client.listPage(first, stop.signal))).toBe('aborted')
    expect(service.requests.length).toBe(1)
    for (const nextQuery of ['half', 'refused']) {
      stop = new AbortController()
      expect(await unreachable(client.listPage({ ...first, nextQuery }, stop.signal))).toBe('aborted')
    }
  })

  it('from the store of the token is passed on as it is', async () => {
    const lost = new Error('the secret store is away')
    await using client = clientOf('http://127.0.0.1:1', { token: () => Promise.reject(lost) })
    expect(await refusalOf(client.listPage(first))).toBe(lost)
  })
})
