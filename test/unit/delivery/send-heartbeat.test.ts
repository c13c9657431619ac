import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createMemoryHeartbeatStore } from '../../../shared/adapters/memory/heartbeat-store.ts'
import { decodeMessage, encodeHeartbeat } from '../../../shared/domain/delivery/delivery-message.ts'
import type { Endpoint } from '../../../shared/domain/endpoint/endpoint.ts'
import { goodHealth, type OpenBreaker } from '../../../shared/domain/endpoint/endpoint-health.ts'
import { heartbeatId } from '../../../shared/domain/feedback/event-id.ts'
import { answered, createHarness, endpointOf, idOf, nowMs, receivedOf, second, settled } from './harness.ts'

const id = heartbeatId({ endpointId: 'endpoint', second })
const heartbeat = (of: { notAfterMs?: number } = {}) =>
  receivedOf(
    encodeHeartbeat({
      ...{ eventId: id, endpointId: 'endpoint', notAfterMs: nowMs + 60_000, body: '{"é":1}', ...of },
    }),
  )
const beating = (of: Partial<Endpoint> = {}) => endpointOf({ heartbeatEverySeconds: 300, ...of })
const none = { kind: 'heartbeat', event: id, endpoint: 'endpoint', status: null, tookMs: null }

describe('a heartbeat', () => {
  test('is POSTed once, signed as an event is', async () => {
    const harness = await createHarness({ endpoints: [beating()] })
    const received = heartbeat()
    expect(await harness.dispatch([received])).toEqual({ failedMessageIds: [] })
    expect(harness.posts.map(({ body }) => body)).toEqual(['{"é":1}'])
    const timestamp = String(nowMs / 1_000)
    const key = new Uint8Array(32).fill(1)
    const signature = createHmac('sha256', key).update(`${id}.${timestamp}.{"é":1}`).digest('base64')
    expect(harness.posts[0]?.headers).toMatchObject({
      ...{ 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` },
    })
    expect(harness.happenings).toEqual([{ ...none, status: 200, reason: null, tookMs: 20 }])
  })

  test.each([500, 429, 301])(
    'that is answered %i is not tried again, and leaves nothing behind',
    async status => {
      const harness = await createHarness({ endpoints: [beating()], answer: () => answered(status) })
      expect(await harness.dispatch([heartbeat()])).toEqual({ failedMessageIds: [] })
      expect([harness.sent, harness.deadLetters]).toEqual([[], []])
      expect(await harness.store.read({ endpointId: 'endpoint', eventId: id })).toBeNull()
      expect(harness.happenings).toEqual([{ ...none, status, reason: `http_${status}`, tookMs: 20 }])
    },
  )

  test("counts for the endpoint's breaker as an event does", async () => {
    const health = { ...goodHealth, failuresInRow: 9, failingSinceMs: nowMs - 120_000 }
    const harness = await createHarness({ endpoints: [beating({ health })], answer: () => answered(500) })
    await harness.dispatch([heartbeat()])
    expect((await harness.endpoints.read('endpoint'))?.health.open).toMatchObject({
      because: 'failures_in_row',
    })
  })

  test('makes a slow endpoint slow', async () => {
    const harness = await createHarness({
      endpoints: [beating()],
      answer: () => answered(200, { tookMs: 5_000 }),
    })
    await harness.dispatch([heartbeat()])
    expect((await harness.endpoints.read('endpoint'))?.slow).toBe(true)
  })

  test('that is answered 410 disables the endpoint, and the operator is to be told', async () => {
    const harness = await createHarness({ endpoints: [beating()], answer: () => answered(410) })
    await harness.dispatch([heartbeat()])
    expect(await harness.endpoints.untold()).toMatchObject([
      { id: 'endpoint', state: 'disabled', stateReason: 'answered_410' },
    ])
  })

  const open = (nextProbeAtMs: number): OpenBreaker => ({
    ...{ sinceMs: nowMs - 60_000, because: 'failing_share', probes: 0, nextProbeAtMs },
  })
  test.each<[string, Partial<Endpoint>, string]>([
    ['disabled', { state: 'disabled', stateReason: 'answered_410' }, 'answered_410'],
    ['removed', { state: 'removed' }, 'endpoint_removed'],
    ['paused', { health: { ...goodHealth, pausedUntilMs: nowMs + 60_000 } }, 'endpoint_paused'],
    ['left alone by its breaker', { health: { ...goodHealth, open: open(nowMs + 1) } }, 'breaker_open'],
  ])('is left out, with the reason, where its endpoint is %s', async (_, of, reason) => {
    const harness = await createHarness({ endpoints: [beating(of)] })
    expect(await harness.dispatch([heartbeat()])).toEqual({ failedMessageIds: [] })
    expect([harness.posts, harness.sent]).toEqual([[], []])
    expect(harness.happenings).toEqual([{ ...none, reason }])
  })

  test('closes the breaker as the probe that was due: an endpoint without events would stay shut out', async () => {
    const health = { ...goodHealth, open: open(nowMs) }
    const harness = await createHarness({ endpoints: [beating({ health })] })
    await harness.dispatch([heartbeat()])
    expect(harness.posts).toHaveLength(1)
    expect((await harness.endpoints.read('endpoint'))?.health.open).toBeNull()
  })

  test('that comes late is left out', async () => {
    const harness = await createHarness({ endpoints: [beating()] })
    await harness.dispatch([heartbeat({ notAfterMs: nowMs - 1 })])
    expect(harness.posts).toEqual([])
    expect(harness.happenings).toEqual([{ ...none, reason: 'heartbeat_late' }])
  })

  test('goes on to the slow lane with its body as it was', async () => {
    const harness = await createHarness({ endpoints: [beating({ slow: true })] })
    const received = heartbeat()
    await harness.dispatch([received])
    expect(harness.posts).toEqual([])
    expect(harness.sent).toMatchObject([{ lane: 'slow', group: 'endpoint', body: received.body }])
  })

  test('is one of the attempts that a limit counts', async () => {
    const limits = { maxPerSecond: null, maxInFlight: 1 }
    const harness = await createHarness({ endpoints: [beating({ limits })] })
    let most = 0
    let under = 0
    const send = async () => {
      under += 1
      most = Math.max(most, under)
      await Promise.resolve()
      under -= 1
      return answered(200)
    }
    await harness.dispatch([heartbeat(), receivedOf({})], { sender: { send } })
    expect(most).toBe(1)
    expect(harness.kinds().sort()).toEqual(['attempt', 'delivered', 'heartbeat'])
  })

  test('that meets a fault of ours is given up with it, and keeps nothing else from being delivered', async () => {
    const harness = await createHarness({ endpoints: [beating()] })
    let asked = 0
    const credentials: typeof harness.deps.credentials = {
      ...harness.deps.credentials,
      credentialsOf: async (...of) => {
        asked += 1
        if (asked === 1) throw new Error('no secrets')
        return harness.deps.credentials.credentialsOf(...of)
      },
    }
    const result = await harness.dispatch([heartbeat()], { credentials })
    await harness.dispatch([receivedOf({})], { credentials })
    expect([result, harness.sent]).toEqual([{ failedMessageIds: [] }, []])
    expect(harness.kinds()).toEqual(['fault', 'attempt', 'delivered'])
  })
})

describe('what is counted for heartbeats', () => {
  test('is written once a batch, for the endpoints that ask for it, without the heartbeats themselves', async () => {
    const answer = ({ body }: { body: string }) => answered(body.includes('bad') ? 500 : 200)
    const quiet = endpointOf({ id: 'quiet' })
    const harness = await createHarness({ endpoints: [beating(), quiet], answer })
    const heartbeats = createMemoryHeartbeatStore()
    const writes: unknown[] = []
    const count: typeof heartbeats.count = async (...of) => {
      // The batch does not end before it is written.
      await settled()
      writes.push(of)
    }
    const batch = [
      ...['one', 'two', 'three'].map(name => receivedOf({ eventId: idOf(name), body: '{}' })),
      receivedOf({ eventId: idOf('bad'), body: '"bad"' }),
      receivedOf({ eventId: idOf('other'), endpointId: 'quiet' }),
      heartbeat(),
    ]
    await harness.dispatch(batch, { heartbeats: { count } })
    expect(writes).toEqual([['endpoint', { delivered: 3, failed: 1 }]])
  })

  test('that can not be written is lost, and the batch is done all the same', async () => {
    const harness = await createHarness({ endpoints: [beating()] })
    const count = async () => Promise.reject(new Error('no table'))
    expect(await harness.dispatch([receivedOf({})], { heartbeats: { count } })).toEqual({
      failedMessageIds: [],
    })
    expect(harness.kinds()).toEqual(['attempt', 'delivered', 'fault'])
  })
})

describe("a heartbeat's message", () => {
  const of = { eventId: id, endpointId: 'endpoint', notAfterMs: nowMs, body: '{"é":1}' }

  test('is read as it was written, in ASCII', () => {
    const text = encodeHeartbeat(of)
    expect(text).toMatch(/^[ -~]+$/)
    expect(decodeMessage(text)).toEqual({ kind: 'heartbeat', heartbeat: { v: 2, kind: 'heartbeat', ...of } })
  })

  test('is newer to a dispatcher of before, which puts it off: never a dead letter', () => {
    expect(JSON.parse(encodeHeartbeat(of))).toMatchObject({ v: 2 })
    expect(decodeMessage(JSON.stringify({ v: 2, kind: 'else' }))).toEqual({ kind: 'newer', version: 2 })
  })
})
