import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  createWebhookSender,
  type WebhookSenderSettings,
} from '../../../shared/adapters/webhook/undici-webhook-sender.ts'
import { answerKeptBytesMax } from '../../../shared/domain/delivery/webhook-sender.ts'
import { postTo, startRaw } from './receivers.ts'

const sender = (settings: Partial<WebhookSenderSettings> = {}) => {
  const created = createWebhookSender({ allowPrivate: true, now: Date.now, ...settings })
  onTestFinished(() => created.close())
  return created
}

const empty = (status: number) => `HTTP/1.1 ${status} As told\r\ncontent-length: 0\r\n\r\n`
const statusOf = async (sent: ReturnType<ReturnType<typeof sender>['send']>) => {
  const result = await sent
  return result.kind === 'answered' ? result.status : result.reason
}

/** Answers the first request in this way, and each of the rest, on whatever socket, with 500. */
const startFirst = async (answerFirst: (socket: Socket) => void) => {
  const requests: number[] = []
  const receiver = await startRaw((socket, number) => {
    socket.on('data', data => {
      if (!data.includes('POST ')) return
      requests.push(number)
      if (requests.length === 1) answerFirst(socket)
      else socket.write(empty(500))
    })
  })
  return { ...receiver, requests }
}

describe('what is left of an answer is never taken for the answer to the next request', () => {
  test.each([
    ['a second answer with the first', (socket: Socket) => socket.write(empty(200) + empty(201))],
    [
      'a second answer right after the first',
      (socket: Socket) => socket.write(empty(200), () => socket.write(empty(201))),
    ],
    ['ten answers', (socket: Socket) => socket.write(empty(200) + empty(201).repeat(9))],
    ['a begun second answer', (socket: Socket) => socket.write(`${empty(200)}HTTP/1.1 201 `)],
    [
      'more body than its length',
      (socket: Socket) => socket.write(`HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok${empty(201)}`),
    ],
    [
      'a 204 with a body',
      (socket: Socket) =>
        socket.write(`HTTP/1.1 204 No\r\ncontent-length: ${empty(201).length}\r\n\r\n${empty(201)}`),
    ],
    [
      'a 204 with a body of no length',
      (socket: Socket) => socket.write(`HTTP/1.1 204 No\r\n\r\n${empty(201)}`),
    ],
    ['a 304 with a body', (socket: Socket) => socket.write(`HTTP/1.1 304 No\r\n\r\n${empty(201)}`)],
    [
      'an interim answer after the answer',
      (socket: Socket) => socket.write(`${empty(200)}HTTP/1.1 103 Late\r\n\r\n`),
    ],
  ])('%s', async (_what, answerFirst) => {
    const receiver = await startFirst(answerFirst)
    const { send } = sender()
    expect(await statusOf(send(postTo(receiver.url)))).toBeOneOf([200, 204, 304])
    expect(await statusOf(send(postTo(receiver.url)))).toBe(500)
    expect(await statusOf(send(postTo(receiver.url)))).toBe(500)
    expect(receiver.requests).toEqual([1, 2, 2])
    await expect.poll(() => receiver.open()).toBe(1)
  })

  test('a second answer that comes while the connection idles', async () => {
    let later = () => {}
    const receiver = await startFirst(socket => {
      socket.write(empty(200))
      later = () => void socket.write(empty(201))
    })
    const { send } = sender()
    expect(await statusOf(send(postTo(receiver.url)))).toBe(200)
    later()
    await expect.poll(() => receiver.open()).toBe(0)
    expect(await statusOf(send(postTo(receiver.url)))).toBe(500)
    expect(receiver.requests).toEqual([1, 2])
  })
})

describe('a connection that is closed right after an answer', () => {
  test.each([
    ['with its end', (socket: Socket) => socket.end(empty(200))],
    ['after its end', (socket: Socket) => socket.write(empty(200), () => socket.end())],
    [
      'by a reset',
      (socket: Socket) => socket.write(empty(200), () => setImmediate(() => socket.resetAndDestroy())),
    ],
  ])('(%s) fails no later request: it goes out once more on a fresh socket', async (_how, answerAndClose) => {
    let requests = 0
    const receiver = await startRaw(socket => {
      socket.on('data', data => {
        if (!data.includes('POST ')) return
        requests += 1
        answerAndClose(socket)
      })
    })
    const { send } = sender()
    for (let at = 1; at <= 20; at += 1) {
      expect(await statusOf(send(postTo(receiver.url)))).toBe(200)
      // Who has closed its side alone sees both tries.
      expect(requests).toBeLessThanOrEqual(2 * at)
    }
  })
})

describe('the text of an answer', () => {
  test('is never unpacked: a gzip bomb stays what it is', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1_048_576))
    const receiver = await startRaw(socket => {
      socket.once('data', () => {
        socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`)
        socket.write(bomb)
      })
    })
    const result = await sender().send(postTo(receiver.url))
    const answer = result.kind === 'answered' ? result.answer : ''
    expect(result).toMatchObject({ kind: 'answered', status: 200 })
    expect(answer.length).toBeGreaterThan(0)
    expect(Buffer.byteLength(answer)).toBeLessThanOrEqual(answerKeptBytesMax)
    expect(answer).not.toMatch(/\p{Cc}|\p{Cf}/u)
  })

  test('has nothing in it that a terminal, a log or a page acts on', async () => {
    const all = Array.from({ length: 256 }, (_, byte) => byte)
    const sequences =
      '\u001b]0;title\u0007\u001b[2J\u009b31m\u0000\u2028\u2029\u202e\u2066\ufeff\u00ad\r\nlog line'
    const body = Buffer.concat([Buffer.from(sequences), Buffer.from(all)])
    const receiver = await startRaw(socket => {
      socket.once('data', () => {
        socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n`)
        socket.write(body)
      })
    })
    const result = await sender().send(postTo(receiver.url))
    const answer = result.kind === 'answered' ? result.answer : ''
    expect(answer.startsWith('?]0;title??[2J?31m???????  log line')).toBe(true)
    expect(answer).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
  })
})
