import { createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
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

test.each([
  ['is no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n', 'invalid_response'],
  ['is HTTP/2 in the clear', '\u0000\u0000\u0012\u0004\u0000\u0000\u0000\u0000\u0000', 'invalid_response'],
  ['has no status', 'HTTP/1.1 OK\r\n\r\n', 'invalid_response'],
  ['has huge headers', `HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(20_000)}\r\n`, 'invalid_response'],
  ['has one huge header', `HTTP/1.1 200 OK\r\na: ${'b'.repeat(20_000)}\r\n\r\n`, 'invalid_response'],
  [
    'has contradicting lengths',
    'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nx',
    'invalid_response',
  ],
  [
    'switches protocols',
    'HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: ws\r\n\r\n',
    'invalid_response',
  ],
  ['switches protocols to none', 'HTTP/1.1 101 Switching\r\n\r\n', 'invalid_response'],
  ['floods interim answers', 'HTTP/1.1 103 Early\r\n\r\n'.repeat(20_000), 'invalid_response'],
])('an answer that %s is a failure with a code, and the connection is closed', async (_how, raw, reason) => {
  const receiver = await startRaw(socket => socket.once('data', () => socket.write(raw, 'latin1')))
  expect(await sender().send(postTo(receiver.url))).toEqual(failed(reason))
  await expect.poll(() => receiver.open()).toBe(0)
  expect(receiver.opened()).toBe(1)
})

test('an answer cut off within its head is invalid', async () => {
  const receiver = await startRaw(socket => socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nx: ')))
  expect(await sender().send(postTo(receiver.url))).toEqual(failed('invalid_response'))
})

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
  expect(await send(url('other.test'))).toEqual(failed('tls_failed'))
  expect(await send(url('127.0.0.1'))).toEqual(failed('tls_failed'))
})

test('a certificate that nobody vouches for is refused', async () => {
  const receiver = await startTls(() => {})
  expect(await sender().send(postTo(`https://hooks.test:${receiver.port}/`))).toEqual(failed('tls_failed'))
})

test('plain HTTP where TLS is expected is a TLS failure', async () => {
  const receiver = await startRaw(socket =>
    socket.once('data', () => socket.write('HTTP/1.1 400 Bad\r\n\r\n')),
  )
  expect(await sender().send(postTo(`https://hooks.test:${receiver.port}/`))).toEqual(failed('tls_failed'))
})

test('a TLS handshake that never ends times out, and its socket is closed', async () => {
  const receiver = await startRaw(socket => void socket.resume())
  expect(await sender().send(postTo(`https://hooks.test:${receiver.port}/`, 150))).toEqual(failed('timeout'))
  await expect.poll(() => receiver.open()).toBe(0)
})
