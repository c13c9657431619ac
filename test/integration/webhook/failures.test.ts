import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createConnection } from '../../../shared/adapters/webhook/connection.ts'
import { createWebhookSender } from '../../../shared/adapters/webhook/undici-webhook-sender.ts'
import { postTo, startRaw, startTls, testCertificate } from './receivers.ts'

const sender = (caCertificates: string[] = []) => {
  const created = createWebhookSender({
    allowPrivate: true,
    now: Date.now,
    caCertificates,
    resolve: async () => ['127.0.0.1'],
  })
  onTestFinished(() => created.close())
  return created
}

const failed = (reason: string) => ({ kind: 'failed', reason, tookMs: expect.any(Number) })

test('an endpoint that never answers times out at the deadline', async () => {
  const receiver = await startRaw(socket => void socket.resume())
  const result = await sender().send(postTo(receiver.url, 150))
  expect(result).toEqual(failed('timeout'))
  expect(result.tookMs).toBeGreaterThanOrEqual(140)
  expect(result.tookMs).toBeLessThan(1_000)
  await expect.poll(() => receiver.open()).toBe(0)
})

test('a port where nobody listens refuses the connection', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  const address = server.address()
  const port = address === null || typeof address === 'string' ? 0 : address.port
  await new Promise(resolve => server.close(resolve))
  expect(await sender().send(postTo(`http://127.0.0.1:${port}/`))).toEqual(failed('connection_refused'))
})

test.each([
  ['resets the connection', 'resetAndDestroy'],
  ['closes the connection', 'destroy'],
] as const)('an endpoint that %s on a fresh socket is asked once only', async (_how, end) => {
  const receiver = await startRaw(socket => socket.once('data', () => void socket[end]()))
  expect(await sender().send(postTo(receiver.url))).toEqual(failed('connection_reset'))
  expect(receiver.opened()).toBe(1)
})

test('a URL that can not be sent to is refused without a connection', async () => {
  expect(await sender().send(postTo('ftp://example.com/'))).toEqual(failed('url_refused'))
})

test('a sender that was closed takes no more', async () => {
  const closed = sender()
  await closed.close()
  await expect(closed.send(postTo('http://127.0.0.1:9/'))).rejects.toMatchObject({ code: 'sender_closed' })
})

test('TLS is verified against the name of the URL, which the endpoint is told; HTTP/1.1 is all we speak', async () => {
  const seen: unknown[] = []
  const receiver = await startTls(socket => {
    seen.push(socket.servername, socket.alpnProtocol)
    socket.once('data', () => socket.write('HTTP/1.1 204 No Content\r\n\r\n'))
  })
  const { send } = sender([testCertificate])
  const url = (host: string) => postTo(`https://${host}:${receiver.port}/hook`)
  expect(await send(url('hooks.test'))).toMatchObject({ kind: 'answered', status: 204 })
  expect(seen).toEqual(['hooks.test', 'http/1.1'])
  expect(await send(url('other.test'))).toEqual(failed('tls_name_mismatch'))
  expect(await send(url('127.0.0.1'))).toEqual(failed('tls_name_mismatch'))
})

test('a certificate that nobody vouches for is refused', async () => {
  const receiver = await startTls(() => {})
  const request = postTo(`https://hooks.test:${receiver.port}/`)
  expect(await sender().send(request)).toEqual(failed('tls_untrusted'))
})

test('an endpoint that has answered before there is a request is not connected to for ever', async () => {
  const receiver = await startRaw(socket => {
    socket.resume().write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
  })
  const connection = createConnection({
    origin: `http://127.0.0.1:${receiver.port}`,
    // As where the answer comes with the end of the handshake.
    connect: async () => {
      const socket = connect(receiver.port, '127.0.0.1')
      await once(socket, 'readable')
      return socket
    },
    keepAliveMs: 1_000,
    now: Date.now,
    onDisconnect: () => {},
  })
  onTestFinished(() => connection.destroy())
  const request = { path: '/hook', headers: {}, body: Buffer.from('{}') }
  expect(await connection.post(request, AbortSignal.timeout(5_000))).toEqual({
    kind: 'failed',
    reason: 'invalid_response',
    stale: false,
  })
  expect(receiver.opened()).toBe(2)
})
