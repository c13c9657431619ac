import { once } from 'node:events'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  createWebhookSender,
  type WebhookSenderSettings,
} from '../../../shared/adapters/webhook/undici-webhook-sender.ts'
import { answerKeptBytesMax } from '../../../shared/domain/delivery/webhook-sender.ts'
import { postTo, startHttp, startRaw } from './receivers.ts'

const sender = (settings: Partial<WebhookSenderSettings> = {}) => {
  const created = createWebhookSender({ allowPrivate: true, now: Date.now, ...settings })
  onTestFinished(() => created.close())
  return created
}

const answerOf = async (raw: string) => {
  const receiver = await startRaw(socket => socket.once('data', () => socket.write(raw)))
  return await sender().send(postTo(receiver.url))
}

describe('the request', () => {
  test('carries the exact bytes of the body and the headers as they are, and says who sends it', async () => {
    const bodies: Buffer[] = []
    let seen: object = {}
    const receiver = await startHttp(async (request, response) => {
      seen = { url: request.url, method: request.method, version: request.httpVersion, ...request.headers }
      for await (const chunk of request) bodies.push(Buffer.from(chunk))
      response.end()
    })
    const body = '{"subject":"héllo 🎉 \\ud800"}'
    const url = `${receiver.url}?tenant=7&x=%2F`
    await sender().send({
      ...postTo(url),
      body,
      headers: { 'webhook-id': 'evt_1', 'webhook-signature': 'v1,a v1,b' },
    })
    expect(Buffer.concat(bodies).toString()).toBe(body)
    expect(seen).toEqual({
      url: '/hook?tenant=7&x=%2F',
      method: 'POST',
      version: '1.1',
      host: `127.0.0.1:${receiver.port}`,
      connection: 'keep-alive',
      'content-length': String(Buffer.byteLength(body)),
      'content-type': 'application/json',
      'user-agent': expect.stringMatching(/^feedback-bridge\/\d+\.\d+\.\d+$/),
      'webhook-id': 'evt_1',
      'webhook-signature': 'v1,a v1,b',
    })
  })

  test('takes its own content type and user agent where the request brings them', async () => {
    let seen: (string | undefined)[] = []
    const receiver = await startHttp((request, response) => {
      seen = [request.headers['content-type'], request.headers['user-agent']]
      response.end()
    })
    await sender().send({
      ...postTo(receiver.url),
      headers: { 'Content-Type': 'text/x', 'User-Agent': 'me' },
    })
    expect(seen).toEqual(['text/x', 'me'])
  })

  test('with a header that can not be sent is an error of ours and no failure of the endpoint', async () => {
    const receiver = await startHttp((_request, response) => response.end())
    const request = { ...postTo(receiver.url), headers: { 'webhook-id': 'a\r\nb: c' } }
    await expect(sender().send(request)).rejects.toMatchObject({ code: 'UND_ERR_INVALID_ARG' })
    expect(receiver.opened()).toBe(0)
  })
})

describe('an answer', () => {
  test.each([200, 201, 202, 301, 302, 307, 308, 400, 401, 404, 410, 500, 503])(
    'of %i is told as it is, and no redirect is followed',
    async status => {
      let requests = 0
      const receiver = await startHttp((_request, response) => {
        requests += 1
        response.writeHead(status, { location: '/elsewhere' }).end(`said ${status}`)
      })
      expect(await sender().send(postTo(receiver.url))).toEqual({
        kind: 'answered',
        status,
        retryAtMs: null,
        answer: `said ${status}`,
        tookMs: expect.any(Number),
      })
      expect(requests).toBe(1)
    },
  )

  test('of 204 has no text', async () => {
    expect(await answerOf('HTTP/1.1 204 No Content\r\n\r\n')).toMatchObject({ status: 204, answer: '' })
  })

  test('after interim answers is the last one', async () => {
    const raw =
      'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 204 OK\r\n\r\n'
    expect(await answerOf(raw)).toMatchObject({ kind: 'answered', status: 204 })
  })

  test('with Retry-After in seconds or as a date says when to come back, on our clock', async () => {
    const nowMs = Date.UTC(2026, 10, 20, 9, 30)
    const headers = [
      ['120', null],
      ['Fri, 20 Nov 2026 10:00:00 GMT', 'Fri, 20 Nov 2026 09:59:00 GMT'],
    ] as const
    const seen: unknown[] = []
    for (const [retryAfter, date] of headers) {
      const receiver = await startHttp((_request, response) => {
        response.sendDate = false
        if (date !== null) response.setHeader('date', date)
        response.writeHead(429, { 'retry-after': retryAfter }).end()
      })
      seen.push(await sender({ now: () => nowMs }).send(postTo(receiver.url)))
    }
    expect(seen).toMatchObject([
      { status: 429, retryAtMs: nowMs + 120_000 },
      { status: 429, retryAtMs: nowMs + 60_000 },
    ])
  })

  test('is kept in its first KiB, control characters made harmless', async () => {
    const receiver = await startHttp((_request, response) => {
      response.end(`\u001b[31mred\u0000\r\n\u202e${'x'.repeat(8_000)}`)
    })
    const result = await sender().send(postTo(receiver.url))
    const kept = result.kind === 'answered' ? result.answer : ''
    expect(kept).toMatch(/^\?\[31mred\? {2}\?x+$/)
    expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(answerKeptBytesMax)
  })
})

describe('a body', () => {
  test('of exactly 16 KiB is read to its end, so that the connection serves again', async () => {
    const receiver = await startHttp((_request, response) => response.end('x'.repeat(16_384)))
    const { send } = sender()
    for (const _ of [1, 2, 3]) expect(await send(postTo(receiver.url))).toMatchObject({ status: 200 })
    expect(receiver.opened()).toBe(1)
  })

  test('of a byte more is not read to its end, so that the connection does not serve again', async () => {
    const receiver = await startHttp((_request, response) => response.end('x'.repeat(16_385)))
    const { send } = sender()
    for (const _ of [1, 2, 3]) expect(await send(postTo(receiver.url))).toMatchObject({ status: 200 })
    expect(receiver.opened()).toBe(3)
  })

  test('without end is given up after 16 KiB: the status counts and the connection is closed', async () => {
    let sent = 0
    const receiver = await startHttp((_request, response) => {
      const chunk = Buffer.alloc(4_096, 'x')
      const more = () => {
        while (!response.destroyed) {
          sent += chunk.length
          if (!response.write(chunk)) return void response.once('drain', more)
        }
      }
      more()
    })
    const result = await sender().send(postTo(receiver.url))
    expect(result).toMatchObject({ kind: 'answered', status: 200, answer: 'x'.repeat(answerKeptBytesMax) })
    await expect.poll(() => receiver.open()).toBe(0)
    // What the kernel's buffers took, not the endless rest.
    expect(sent).toBeLessThan(32 * 1_048_576)
  })

  test('whose chunk framing is endless is given up too', async () => {
    const receiver = await startRaw(socket => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;')
        const more = () => {
          while (!socket.destroyed && socket.write('e'.repeat(4_096)));
          if (!socket.destroyed) socket.once('drain', more)
        }
        more()
      })
    })
    expect(await sender().send(postTo(receiver.url))).toMatchObject({
      kind: 'answered',
      status: 200,
      answer: '',
    })
    await expect.poll(() => receiver.open()).toBe(0)
  })

  test.each([
    ['is cut off', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf'],
    ['has broken chunks', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\nzz\r\n'],
  ])('that %s does not undo the status before it', async (_how, raw) => {
    const receiver = await startRaw(socket => socket.once('data', () => socket.end(raw)))
    expect(await sender().send(postTo(receiver.url))).toMatchObject({
      kind: 'answered',
      status: 200,
      answer: 'half',
    })
  })

  test('that is reset does not undo the status before it', async () => {
    const receiver = await startRaw(socket => {
      socket.once('data', async () => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf', () => socket.resetAndDestroy())
        await once(socket, 'close')
      })
    })
    const result = await sender().send(postTo(receiver.url))
    // The reset may overtake what was written before it.
    expect(result.kind === 'answered' ? result.status : result.reason).toBeOneOf([200, 'connection_reset'])
  })

  test('that dribbles past the deadline is a time-out, within the deadline', async () => {
    const receiver = await startRaw(socket => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n')
        const dribble = setInterval(() => socket.write('.'), 10)
        socket.on('close', () => clearInterval(dribble))
      })
    })
    const result = await sender().send(postTo(receiver.url, 200))
    expect(result).toEqual({ kind: 'failed', reason: 'body_timeout', tookMs: expect.any(Number) })
    expect(result.tookMs).toBeGreaterThanOrEqual(190)
    expect(result.tookMs).toBeLessThan(1_000)
    await expect.poll(() => receiver.open()).toBe(0)
  })
})
