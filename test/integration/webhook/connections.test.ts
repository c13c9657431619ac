import type { Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  createWebhookSender,
  type WebhookSenderSettings,
} from '../../../shared/adapters/webhook/undici-webhook-sender.ts'
import {
  answerEach,
  noContent,
  postTo,
  type Receiver,
  startHttp,
  startRaw,
  startTls,
  testCertificate,
} from './receivers.ts'

const sender = (settings: Partial<WebhookSenderSettings> = {}) => {
  const created = createWebhookSender({
    allowPrivate: true,
    now: Date.now,
    resolve: async () => ['127.0.0.1'],
    ...settings,
  })
  onTestFinished(() => created.close())
  return created
}

const answered = { kind: 'answered', status: 204 }

/** Counts requests by socket; the first socket answers its first request and then does `onSecond`. */
const startFlaky = async (onSecond: (socket: Socket) => void, onLater: (socket: Socket) => void) => {
  const requests: number[] = []
  const receiver = await startRaw((socket, number) => {
    socket.on('data', data => {
      if (!data.includes('POST ')) return
      requests.push(number)
      if (number > 1) onLater(socket)
      else if (requests.length === 1) socket.write(noContent)
      else onSecond(socket)
    })
  })
  return { ...receiver, requests }
}

const answers = (socket: Socket) => void socket.write(noContent)

describe('a connection', () => {
  test('serves one request after the other', async () => {
    const receiver = await startHttp((_request, response) => response.writeHead(204).end())
    const { send } = sender()
    for (let index = 0; index < 20; index += 1) {
      expect(await send(postTo(receiver.url))).toMatchObject(answered)
    }
    expect(receiver.opened()).toBe(1)
  })

  test('serves one request after the other over TLS', async () => {
    const receiver = await startTls(socket => answerEach(socket, noContent))
    const { send } = sender({ caCertificates: [testCertificate] })
    const request = postTo(`https://hooks.test:${receiver.port}/`)
    for (let index = 0; index < 5; index += 1) expect(await send(request)).toMatchObject(answered)
    expect(receiver.opened()).toBe(1)
  })

  test('that the endpoint ends after its answer is not used again', async () => {
    const receiver = await startHttp((_request, response) => {
      response.writeHead(204, { connection: 'close' }).end()
    })
    const { send } = sender()
    for (let index = 0; index < 5; index += 1) {
      expect(await send(postTo(receiver.url))).toMatchObject(answered)
    }
    expect(receiver.opened()).toBe(5)
  })

  test('is not used again once it is old, so that a change in DNS is followed', async () => {
    const receiver = await startHttp((_request, response) => response.writeHead(204).end())
    let nowMs = 0
    const { send } = sender({ now: () => nowMs, limits: { connectionAgeMaxMs: 1_000 } })
    await send(postTo(receiver.url))
    nowMs = 999
    await send(postTo(receiver.url))
    nowMs = 1_000
    await send(postTo(receiver.url))
    expect(receiver.opened()).toBe(1)
    await send(postTo(receiver.url))
    expect(receiver.opened()).toBe(2)
  })

  test('is closed when it has idled', async () => {
    const receiver = await startRaw(socket => answerEach(socket, noContent))
    await sender({ limits: { keepAliveMs: 50 } }).send(postTo(receiver.url))
    await expect.poll(() => receiver.open()).toBe(0)
  })
})

describe('a reused socket that fails before a byte of the answer', () => {
  test.each([
    ['is reset', (socket: Socket) => void socket.resetAndDestroy()],
    ['is ended', (socket: Socket) => void socket.end()],
  ])('and %s is tried once more on a fresh one, and only there answered', async (_how, onSecond) => {
    const receiver = await startFlaky(onSecond, answers)
    const { send } = sender()
    expect(await send(postTo(receiver.url))).toMatchObject(answered)
    expect(await send(postTo(receiver.url))).toMatchObject(answered)
    expect(receiver.requests).toEqual([1, 1, 2])
    expect(receiver.opened()).toBe(2)
  })

  test('is tried once more over TLS too', async () => {
    let requests = 0
    const receiver = await startTls(socket => {
      socket.on('data', data => {
        if (!data.includes('POST ')) return
        requests += 1
        if (requests === 2) socket.end()
        else socket.write(noContent)
      })
    })
    const { send } = sender({ caCertificates: [testCertificate] })
    const request = postTo(`https://hooks.test:${receiver.port}/`)
    expect(await send(request)).toMatchObject(answered)
    expect(await send(request)).toMatchObject(answered)
    expect(requests).toBe(3)
    expect(receiver.opened()).toBe(2)
  })

  test('is tried no third time', async () => {
    const receiver = await startFlaky(
      socket => socket.destroy(),
      socket => socket.destroy(),
    )
    const { send } = sender()
    await send(postTo(receiver.url))
    expect(await send(postTo(receiver.url))).toMatchObject({ kind: 'failed', reason: 'connection_reset' })
    expect(receiver.requests).toEqual([1, 1, 2])
  })

  test('is tried again within the same deadline', async () => {
    const receiver = await startFlaky(
      socket => void setTimeout(() => socket.destroy(), 200),
      () => {},
    )
    const { send } = sender()
    await send(postTo(receiver.url))
    const result = await send(postTo(receiver.url, 400))
    expect(result).toMatchObject({ kind: 'failed', reason: 'timeout' })
    expect(result.tookMs).toBeLessThan(590)
    expect(receiver.requests).toEqual([1, 1, 2])
  })

  test('is tried on a fresh one even where other sockets idle', async () => {
    const requests: number[] = []
    let together: (() => void)[] = []
    const receiver = await startRaw((socket, number) => {
      socket.on('data', data => {
        if (!data.includes('POST ')) return
        requests.push(number)
        if (requests.length > 2) return void (number > 2 ? socket.write(noContent) : socket.destroy())
        together.push(() => socket.write(noContent))
        if (together.length === 2) {
          for (const answer of together) answer()
          together = []
        }
      })
    })
    const { send } = sender({ limits: { connectionsPerOriginMax: 2 } })
    await Promise.all([send(postTo(receiver.url)), send(postTo(receiver.url))])
    expect(await send(postTo(receiver.url))).toMatchObject(answered)
    expect(requests.slice(0, 2).toSorted()).toEqual([1, 2])
    expect(requests.slice(2)).toEqual([expect.toBeOneOf([1, 2]), 3])
    expect(receiver.opened()).toBe(3)
  })
})

describe('a reused socket that fails after a byte of the answer', () => {
  test.each([
    ['a part of the status line', 'HT', 'head_cut_off'],
    ['an empty line', '\r\n', 'head_cut_off'],
    ['an interim answer', 'HTTP/1.1 103 Early Hints\r\n\r\n', 'head_cut_off'],
  ])('(%s) is not tried again: the endpoint may have taken it', async (_what, bytes, reason) => {
    const receiver = await startFlaky(socket => void socket.end(bytes), answers)
    const { send } = sender()
    await send(postTo(receiver.url))
    expect(await send(postTo(receiver.url))).toMatchObject({ kind: 'failed', reason })
    expect(receiver.requests).toEqual([1, 1])
    expect(receiver.opened()).toBe(1)
  })

  test('over TLS is not tried again', async () => {
    let requests = 0
    const receiver = await startTls(socket => {
      socket.on('data', data => {
        if (!data.includes('POST ')) return
        requests += 1
        if (requests === 2) socket.end('\r\n')
        else socket.write(noContent)
      })
    })
    const { send } = sender({ caCertificates: [testCertificate] })
    const request = postTo(`https://hooks.test:${receiver.port}/`)
    await send(request)
    expect(await send(request)).toMatchObject({ kind: 'failed', reason: 'head_cut_off' })
    expect(requests).toBe(2)
  })
})

describe('bounds', () => {
  test('an origin has no more connections than allowed; who comes later waits', async () => {
    let most = 0
    const present: (() => void)[] = []
    const receiver = await startHttp((_request, response) => {
      present.push(() => response.writeHead(204).end())
      most = Math.max(most, present.length)
      // Answered by threes only: with fewer connections nothing would ever come.
      if (present.length === 3) for (const answer of present.splice(0)) answer()
    })
    const { send } = sender({ limits: { connectionsPerOriginMax: 3 } })
    const results = await Promise.all(Array.from({ length: 30 }, () => send(postTo(receiver.url))))
    expect(results.filter(result => result.kind === 'answered')).toHaveLength(30)
    expect(most).toBe(3)
    expect(receiver.opened()).toBe(3)
  })

  test('an origin whose connections are all taken delays no other one, and waiting ends at the deadline', async () => {
    const stuck = await startRaw(socket => void socket.resume())
    const quick = await startHttp((_request, response) => response.writeHead(204).end())
    const { send } = sender({ limits: { connectionsPerOriginMax: 2 } })
    const ended: string[] = []
    const slow = Array.from({ length: 10 }, () =>
      send(postTo(stuck.url, 300)).then(result =>
        ended.push(result.kind === 'failed' ? result.reason : 'answered'),
      ),
    )
    expect(await send(postTo(quick.url, 300))).toMatchObject(answered)
    expect(ended).toEqual([])
    await Promise.all(slow)
    const busy = Array.from({ length: 8 }, () => 'connections_busy')
    expect(ended).toEqual(['timeout', 'timeout', ...busy])
    expect(stuck.opened()).toBeLessThanOrEqual(4)
    await expect.poll(() => stuck.open()).toBe(0)
  })

  test('of idle connections over all origins, those that idled longest are closed', async () => {
    const receivers: Receiver[] = []
    for (let index = 0; index < 4; index += 1) {
      receivers.push(await startRaw(socket => answerEach(socket, noContent)))
    }
    const { send } = sender({ limits: { idleConnectionsMax: 2 } })
    for (const receiver of receivers) await send(postTo(receiver.url))
    await expect.poll(() => receivers.map(receiver => receiver.open())).toEqual([0, 0, 1, 1])
  })

  test('after a few hundred requests of every kind, close leaves no socket open', async () => {
    const good = await startHttp((_request, response) => response.writeHead(204).end())
    const ending = await startHttp((_request, response) =>
      response.writeHead(500, { connection: 'close' }).end(),
    )
    const endless = await startHttp((_request, response) => response.end('x'.repeat(100_000)))
    const silent = await startRaw(socket => void socket.resume())
    const broken = await startRaw(socket => socket.once('data', () => socket.destroy()))
    const receivers = [good, ending, endless, silent, broken]
    const created = sender({ limits: { connectionsPerOriginMax: 10 } })
    const sends = receivers.flatMap(({ url }) =>
      Array.from({ length: 80 }, () => created.send(postTo(url, url === silent.url ? 100 : 10_000))),
    )
    const outcomes = await Promise.all(sends)
    await created.close()
    const counts = new Map<string, number>()
    for (const outcome of outcomes) {
      const name = outcome.kind === 'answered' ? String(outcome.status) : outcome.reason
      counts.set(name, (counts.get(name) ?? 0) + 1)
    }
    expect(Object.fromEntries(counts)).toEqual({
      200: 80,
      204: 80,
      500: 80,
      timeout: 10,
      connections_busy: 70,
      connection_reset: 80,
    })
    await expect.poll(() => receivers.map(receiver => receiver.open())).toEqual([0, 0, 0, 0, 0])
  })

  test('close waits for the attempts under way', async () => {
    let arrived = () => {}
    const inside = new Promise<void>(resolve => {
      arrived = resolve
    })
    let answer = () => {}
    const receiver = await startHttp((_request, response) => {
      answer = () => response.writeHead(204).end()
      arrived()
    })
    const created = sender()
    const sending = created.send(postTo(receiver.url))
    await inside
    const closing = created.close()
    answer()
    await closing
    expect(await sending).toMatchObject(answered)
    await expect.poll(() => receiver.open()).toBe(0)
  })
})
