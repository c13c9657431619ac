import { describe, expect, test } from 'vitest'
import { encodeHeartbeat } from '../../../shared/domain/delivery/delivery-message.ts'
import type { DispatcherDeps } from '../../../shared/domain/delivery/dispatch.ts'
import { type Endpoint, noLimits } from '../../../shared/domain/endpoint/endpoint.ts'
import { heartbeatId } from '../../../shared/domain/feedback/event-id.ts'
import { createHarness, endpointOf, nowMs, receivedOf, second } from './harness.ts'

const id = heartbeatId({ endpointId: 'endpoint', second })
const beating = (of: Partial<Endpoint> = {}) => endpointOf({ heartbeatEverySeconds: 300, ...of })
const heartbeat = (notAfterMs = nowMs + 60_000) =>
  encodeHeartbeat({ eventId: id, endpointId: 'endpoint', notAfterMs, body: '{}' })
const none = { kind: 'heartbeat', event: id, endpoint: 'endpoint', status: null, tookMs: null }

const beat = async (endpoints: Endpoint[], other: (deps: DispatcherDeps) => Partial<DispatcherDeps>) => {
  const harness = await createHarness({ endpoints })
  await harness.dispatch([receivedOf(heartbeat())], other(harness.deps))
  return harness
}

describe('a heartbeat is left out, with its reason, where its endpoint', () => {
  test.each<[string, Endpoint[], (deps: DispatcherDeps) => Partial<DispatcherDeps>, string]>([
    ['is no more', [], () => ({}), 'endpoint_removed'],
    ['is disabled, for whatever reason', [beating({ state: 'disabled' })], () => ({}), 'endpoint_disabled'],
    [
      'can not be signed for',
      [beating()],
      ({ credentials }) => ({
        credentials: {
          ...credentials,
          credentialsOf: async () => ({ kind: 'none', reason: 'key_missing' }) as const,
        },
      }),
      'key_missing',
    ],
    [
      'has a limit that others have taken',
      [beating({ limits: { ...noLimits, maxPerSecond: 1 } })],
      ({ paces }) => ({ paces: { ...paces, write: async () => false } }),
      'paced',
    ],
  ])('%s', async (_, endpoints, other, reason) => {
    const { happenings, posts, sent } = await beat(endpoints, other)
    expect(happenings).toEqual([{ ...none, reason }])
    expect([posts, sent]).toEqual([[], []])
  })
})

test('a heartbeat is tried up to the last moment in which it is worth something', async () => {
  const harness = await createHarness({ endpoints: [beating()] })
  await harness.dispatch([receivedOf(heartbeat(nowMs))])
  expect(harness.posts).toHaveLength(1)
})

test('a heartbeat of a slow endpoint is tried in the slow lane', async () => {
  const harness = await createHarness({ endpoints: [beating({ slow: true })] })
  await harness.dispatch([receivedOf(heartbeat(), { lane: 'slow' })])
  expect([harness.posts.length, harness.sent]).toEqual([1, []])
})
