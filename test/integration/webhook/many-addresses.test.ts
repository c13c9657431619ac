import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { networkInterfaces } from 'node:os'
import { Worker } from 'node:worker_threads'
import { describe, expect, onTestFinished, test } from 'vitest'
import { addressesMax } from '../../../shared/adapters/webhook/connector.ts'
import {
  createWebhookSender,
  type WebhookSenderSettings,
} from '../../../shared/adapters/webhook/undici-webhook-sender.ts'
import { fillBacklog } from './fill-backlog.ts'
import { noContent, postTo } from './receivers.ts'

const sender = (settings: Partial<WebhookSenderSettings>) => {
  const created = createWebhookSender({ allowPrivate: true, now: Date.now, ...settings })
  onTestFinished(() => created.close())
  return created
}
const hasIpv6 = Object.values(networkInterfaces()).some(list =>
  list?.some(({ address }) => address === '::1'),
)
/** Connections of this process that are neither there nor given up. */
const connecting = () => process.getActiveResourcesInfo().filter(type => type === 'ConnectWrap').length
const answered = { kind: 'answered', status: 204 }
const failed = (reason: string) => ({ kind: 'failed', reason })

const listening = async (server: Server, port: number, host: string): Promise<number> => {
  server.listen(port, host)
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const at = server.address()
  if (at === null || typeof at === 'string') throw new Error('no port')
  return at.port
}

/** Answers at one address of loopback, and counts the sockets. */
const startQuick = async (host: string, port = 0) => {
  const opened: string[] = []
  const server = createServer(socket => {
    opened.push(host)
    socket.on('error', () => {})
    socket.on('data', () => socket.write(noContent))
    onTestFinished(() => void socket.destroy())
  })
  return { port: await listening(server, port, host), opened }
}

/**
 * Takes no more connections: a thread listens with room for one and then stands still, and the room is taken. As near
 * as loopback comes to a host that drops packets (Linux drops a SYN where the queue is full).
 */
const startFull = async (host: string, port = 0): Promise<number> => {
  const code = `
    const { createServer } = require('node:net')
    const { parentPort, workerData } = require('node:worker_threads')
    const server = createServer().listen({ ...workerData, backlog: 1 }, () => {
      parentPort.postMessage(server.address().port)
      setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0))
    })`
  const worker = new Worker(code, { eval: true, workerData: { host, port } })
  onTestFinished(async () => void (await worker.terminate()))
  const [listeningAt]: unknown[] = await once(worker, 'message')
  const close = await fillBacklog(Number(listeningAt), host)
  onTestFinished(close)
  return Number(listeningAt)
}

// Only Linux has all of 127.0.0.0/8, and drops what a full queue can not take.
describe.runIf(process.platform === 'linux')('a host', () => {
  test('whose port drops packets is a time-out of connecting, at the deadline', async () => {
    const port = await startFull('127.0.0.1')
    const before = connecting()
    const result = await sender({}).send(postTo(`http://127.0.0.1:${port}/`, 500))
    expect(result).toMatchObject(failed('connect_timeout'))
    expect(result.tookMs).toBeLessThan(2_000)
    await expect.poll(connecting).toBe(before)
  })

  test('whose first addresses are dead and whose last is alive is reached soon, and nobody else is used', async () => {
    const dead = ['127.0.0.11', '127.0.0.12', '127.0.0.13']
    const [first = '', ...rest] = dead
    const port = await startFull(first)
    for (const host of rest) await startFull(host, port)
    const live = await startQuick('127.0.0.14', port)
    const before = connecting()
    const { send } = sender({ resolve: async () => [...dead, '127.0.0.14'] })
    const result = await send(postTo(`http://hooks.test:${port}/`, 5_000))
    expect(result).toMatchObject(answered)
    expect(result.tookMs).toBeLessThan(3_000)
    expect(live.opened).toEqual(['127.0.0.14'])
    await expect.poll(connecting).toBe(before)
  })

  test('that refuses at all of its addresses but the last is reached at once', async () => {
    const live = await startQuick('127.0.0.20')
    const { send } = sender({ resolve: async () => ['127.0.0.17', '127.0.0.18', '127.0.0.19', '127.0.0.20'] })
    const result = await send(postTo(`http://hooks.test:${live.port}/`))
    expect(result).toMatchObject(answered)
    expect(result.tookMs).toBeLessThan(1_500)
  })

  test('with 50 addresses is tried at a bounded number of them, others with the next attempt', async () => {
    const hosts = Array.from({ length: 50 }, (_, at) => `127.0.1.${at + 1}`)
    const [first = '', ...rest] = hosts
    const tried: string[] = []
    const startClosing = (host: string) =>
      createServer(socket => {
        tried.push(host)
        socket.destroy()
      })
    const port = await listening(startClosing(first), 0, first)
    for (const host of rest.slice(0, 48)) await listening(startClosing(host), port, host)
    const randoms = [0, 0.9]
    const { send } = sender({ resolve: async () => hosts, random: () => randoms.shift() ?? 0 })
    // A socket that opens is taken: the first address decides.
    expect(await send(postTo(`http://hooks.test:${port}/`))).toMatchObject(failed('connection_reset'))
    expect(await send(postTo(`http://hooks.test:${port}/`))).toMatchObject(failed('connection_reset'))
    expect(tried).toEqual(['127.0.1.1', '127.0.1.46'])
  })

  test('with 50 dead addresses is given up after a bounded number of them', async () => {
    const tried: string[] = []
    const hosts = Array.from({ length: 50 }, (_, at) => `127.0.2.${at + 1}`)
    const live = await startQuick('127.0.2.9')
    const { send } = sender({ resolve: async () => hosts, random: () => 0 })
    const result = await send(postTo(`http://hooks.test:${live.port}/`))
    tried.push(...live.opened)
    // The ninth would answer; eight refuse.
    expect(addressesMax).toBe(8)
    expect(result).toMatchObject(failed('connection_refused'))
    expect(tried).toEqual([])
    const later = sender({ resolve: async () => hosts, random: () => 0.1 })
    expect(await later.send(postTo(`http://hooks.test:${live.port}/`))).toMatchObject(answered)
  })

  test('with a private address among 50 is refused, wherever it stands', async () => {
    const live = await startQuick('127.0.0.1')
    for (const at of [0, 25, 49]) {
      const addresses = Array.from({ length: 50 }, (_, index) =>
        index === at ? '10.0.0.1' : `93.184.215.${index}`,
      )
      const { send } = sender({ allowPrivate: false, resolve: async () => addresses })
      expect(await send(postTo('https://hooks.test/'))).toMatchObject(failed('address_refused'))
    }
    expect(live.opened).toEqual([])
  })

  test.runIf(hasIpv6)('of IPv6 alone is reached', async () => {
    const live = await startQuick('::1')
    const { send } = sender({ resolve: async () => ['::1'] })
    expect(await send(postTo(`http://hooks.test:${live.port}/`))).toMatchObject(answered)
    expect(await send(postTo(`http://[::1]:${live.port}/`))).toMatchObject(answered)
    expect(live.opened).toEqual(['::1', '::1'])
  })
})
