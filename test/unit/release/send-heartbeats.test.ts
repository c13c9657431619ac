import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { createHandler } from '../../../functions/releaser/handler.ts'
import { createMemoryCursorStore } from '../../../shared/adapters/memory/cursor-store.ts'
import { createMemoryHeartbeatStore } from '../../../shared/adapters/memory/heartbeat-store.ts'
import { decodeMessage } from '../../../shared/domain/delivery/delivery-message.ts'
import type { QueueEntry } from '../../../shared/domain/delivery/delivery-queue.ts'
import { type Endpoint, noFilters } from '../../../shared/domain/endpoint/endpoint.ts'
import { goodHealth, type OpenBreaker } from '../../../shared/domain/endpoint/endpoint-health.ts'
import { eventSecond } from '../../../shared/domain/feedback/event-id.ts'
import { emptyCursor } from '../../../shared/domain/polling/cursor.ts'
import { sendHeartbeats } from '../../../shared/domain/release/send-heartbeats.ts'
import { sourceDefaults } from '../../../shared/domain/source.ts'
import { endpointOf, nowMs } from '../delivery/harness.ts'
import { createHarness as createReleaser } from './harness.ts'

const minuteMs = 60_000
const everySeconds = 300
const everyMs = everySeconds * 1_000

const folder = new URL('../../../shared/domain/event/schemas/', import.meta.url)
const published: unknown = JSON.parse(readFileSync(new URL('webhook.heartbeat.json', folder), 'utf8'))
const validate = new Ajv2020({ allErrors: true, strict: true }).compile(Object(published))

const heartbeatOf = (entry: QueueEntry | undefined) => {
  const decoded = decodeMessage(entry?.body ?? '')
  if (decoded.kind !== 'heartbeat') throw new Error(`this is ${decoded.kind}`)
  const event = JSON.parse(decoded.heartbeat.body)
  return { ...decoded.heartbeat, event, entry }
}

const createHarness = async (endpoints: readonly Partial<Endpoint>[] = [{}]) => {
  const harness = await createReleaser({
    endpoints: endpoints.map(of => endpointOf({ heartbeatEverySeconds: everySeconds, ...of })),
  })
  const cursors = createMemoryCursorStore()
  const heartbeats = createMemoryHeartbeatStore()
  const deps = { ...harness.deps, heartbeat: { cursors, heartbeats } }
  const run = createHandler(deps)
  return {
    ...{ ...harness, deps, cursors, heartbeats },
    /** A run now, and the heartbeats that it sent. */
    run: async () => {
      const before = harness.sent.length
      await run({})
      return harness.sent.slice(before).map(heartbeatOf)
    },
  }
}

describe('the heartbeats of an endpoint', () => {
  test('begin at once, come once an interval, and are the published event', async () => {
    const { run, turn } = await createHarness()
    const sent = []
    for (let minute = 0; minute <= 10; minute += 1) {
      sent.push(...(await run()).map(heartbeat => ({ minute, ...heartbeat })))
      await turn(minuteMs)
    }
    expect(sent.map(({ minute }) => minute)).toEqual([0, 5, 10])
    expect(new Set(sent.map(({ eventId }) => eventId)).size).toBe(3)
    for (const { event, eventId } of sent) {
      expect([validate(event), validate.errors, event.id]).toEqual([true, null, eventId])
    }
    const iso = (atMs: number) => new Date(atMs).toISOString()
    expect(sent[1]).toMatchObject({
      endpointId: 'endpoint',
      notAfterMs: nowMs + 2 * everyMs + minuteMs,
      entry: { lane: 'fast', group: 'endpoint', delayMs: 0, faults: null },
      event: {
        type: 'webhook.heartbeat',
        timestamp: iso(nowMs + everyMs),
        data: { interval_seconds: everySeconds, since: iso(nowMs), delivered: 0, failed: 0 },
      },
    })
    expect(eventSecond(sent[1]?.eventId ?? '')).toBe((nowMs + everyMs) / 1_000)
  })

  test('tell what was counted since the last one, and once', async () => {
    const { run, turn, heartbeats } = await createHarness()
    await heartbeats.count('endpoint', { delivered: 2, failed: 1 })
    const counts = async () => {
      const [heartbeat] = await run()
      await turn(everyMs)
      return [heartbeat?.event.data.since, heartbeat?.event.data.delivered, heartbeat?.event.data.failed]
    }
    expect(await counts()).toEqual([null, 2, 1])
    await heartbeats.count('endpoint', { delivered: 7, failed: 0 })
    expect((await counts()).slice(1)).toEqual([7, 0])
    expect((await counts()).slice(1)).toEqual([0, 0])
  })

  test('tell when each list of each of its sources was read to its end', async () => {
    const filters = { ...noFilters, sources: ['main'] }
    const harness = await createHarness([{ id: 'all' }, { id: 'one', filters }])
    const { sources, cursors } = harness
    await sources.put({ ...sourceDefaults, id: 'other', baseUrl: 'https://x.example', tokenSecret: 't' })
    const atMs = nowMs - 4_000
    const key = { sourceId: 'main', stream: 'bounces', name: 'main' } as const
    await cursors.commit(key, { ...emptyCursor, lastCompleteWalkAtMs: atMs }, null)
    const told = (await harness.run()).map(({ endpointId, event }) => [endpointId, event.data.sources])
    const never = { stream: 'complaints', last_complete_walk: null }
    const main = {
      id: 'main',
      streams: [{ stream: 'bounces', last_complete_walk: new Date(atMs).toISOString() }, never],
    }
    const other = { id: 'other', streams: [{ ...never, stream: 'bounces' }, never] }
    expect(Object.fromEntries(told)).toEqual({ all: [main, other], one: [main] })
  })

  test('go to nobody who does not ask for them', async () => {
    const { run } = await createHarness([{ heartbeatEverySeconds: null }])
    expect(await run()).toEqual([])
  })

  const open = (nextProbeAtMs: number): OpenBreaker => ({
    ...{ sinceMs: nowMs, because: 'failures_in_row', probes: 1, nextProbeAtMs },
  })
  test.each<[string, Partial<Endpoint>, number]>([
    ['disabled', { state: 'disabled' }, 0],
    ['removed', { state: 'removed' }, 0],
    ['paused', { health: { ...goodHealth, pausedUntilMs: nowMs + 1 } }, 0],
    ['no longer paused', { health: { ...goodHealth, pausedUntilMs: nowMs } }, 1],
    ['behind an open breaker', { health: { ...goodHealth, open: open(nowMs + 1) } }, 0],
    ['behind an open breaker, with a probe due', { health: { ...goodHealth, open: open(nowMs) } }, 1],
  ])('are as many for one that is %s', async (_, endpoint, count) => {
    const { run } = await createHarness([endpoint])
    expect(await run()).toHaveLength(count)
  })

  test('go to the slow lane where the endpoint is slow', async () => {
    const { run } = await createHarness([{ slow: true }])
    expect((await run()).map(({ entry }) => entry?.lane)).toEqual(['slow'])
  })
})

describe('runs that overlap', () => {
  test('send one heartbeat, whichever of them gets there first', async () => {
    const { deps, sent, heartbeats, turn } = await createHarness()
    const endsAtMs = nowMs + 50_000
    const { cursors } = deps.heartbeat
    for (const _ of [1, 2]) {
      const before = sent.length
      // All read the same last heartbeat before any of them takes the interval.
      let reading = 0
      const all = Promise.withResolvers<void>()
      const read: typeof heartbeats.read = async id => {
        const state = await heartbeats.read(id)
        reading += 1
        if (reading === 3) all.resolve()
        await all.promise
        return state
      }
      const each = { ...deps, cursors, heartbeats: { ...heartbeats, read } }
      await Promise.all([1, 2, 3].map(() => sendHeartbeats({ endsAtMs: endsAtMs + everyMs }, each)))
      expect(sent.length - before).toBe(1)
      await turn(everyMs)
    }
  })

  test('would all send the same id, were one to send what another took', async () => {
    const one = await createHarness()
    const other = await createHarness()
    const ids = async ({ run }: typeof one) => (await run()).map(({ eventId }) => eventId)
    expect(await ids(one)).toEqual(await ids(other))
    const different = await createHarness([{ id: 'another' }])
    expect(await ids(different)).not.toEqual(await ids(await createHarness()))
  })
})

describe('a heartbeat that can not be sent', () => {
  test('is told as a fault and left out, and the next one comes at its time', async () => {
    const { deps, happenings, turn, sent } = await createHarness()
    let fails = true
    const queue: typeof deps.queue = {
      send: async entries =>
        fails ? entries.map(() => ({ kind: 'failed', reason: 'throttled' })) : deps.queue.send(entries),
    }
    const run = createHandler({ ...deps, queue })
    await run({})
    expect(happenings).toMatchObject([{ kind: 'fault', endpoint: 'endpoint', reason: 'queue_failed' }])
    fails = false
    await turn(minuteMs)
    await run({})
    expect(sent).toEqual([])
    await turn(everyMs - minuteMs)
    await run({})
    expect(sent).toHaveLength(1)
  })

  test('for the state of a cursor is sent by the next run, and no other endpoint waits for it', async () => {
    const { deps, cursors, happenings, sent, turn } = await createHarness([{ id: 'a' }, { id: 'b' }])
    let fails = true
    const read: typeof cursors.read = async key => {
      if (fails) throw new Error('no table')
      return cursors.read(key)
    }
    const heartbeat = { ...deps.heartbeat, cursors: { read } }
    const run = createHandler({ ...deps, heartbeat })
    await run({})
    expect(happenings.map(({ kind }) => kind)).toEqual(['fault', 'fault'])
    fails = false
    await turn(minuteMs)
    await run({})
    expect(sent.map(({ group }) => group).sort()).toEqual(['a', 'b'])
  })
})
