import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda'
import { describe, expect, test } from 'vitest'
import { endpointOf } from '../../../infra/local/endpoint-lanes.ts'
import { laneLimits, limitsOf } from '../../../infra/local/lane-limits.ts'
import { functionTimeoutMs, laggingMs, startQueuePump } from '../../../infra/local/queue-pump.ts'
import { encodeMessage } from '../../../shared/domain/delivery/delivery-message.ts'
import type { EntryResult, QueueEntry } from '../../../shared/domain/delivery/delivery-queue.ts'
import type { Happening } from '../../../shared/domain/happenings.ts'
import { createVirtualClock } from '../polling/world/virtual-clock.ts'

const body = (id: number, endpointId: string): string =>
  encodeMessage({
    v: 1,
    eventId: `evt_${id}`,
    endpointId,
    sourceId: 'src_1',
    stream: 'bounces',
    type: 'email.bounce.hard',
    round: 1,
    attempt: 1,
    enqueuedAtMs: 0,
    expiresAtSeconds: 1,
    body: '{"id":"evt","data":{"raw":{"endpointId":"ep_of_the_record"}}}',
    deliveredBy: null,
  })

const record = (id: number, endpointId: string): SQSRecord => ({
  messageId: `m${id}`,
  receiptHandle: `r${id}`,
  body: body(id, endpointId),
  attributes: {
    ApproximateReceiveCount: '1',
    SentTimestamp: '0',
    SenderId: '',
    ApproximateFirstReceiveTimestamp: '0',
  },
  messageAttributes: {},
  md5OfBody: '',
  eventSource: 'aws:sqs',
  eventSourceARN: 'fast',
  awsRegion: '',
})

const records = (count: number, endpointId: string, from = 0): SQSRecord[] =>
  Array.from({ length: count }, (_, index) => record(from + index, endpointId))

type Call = { ids: string[]; answer: (failures?: readonly string[]) => void; fail: (error: Error) => void }

/** A pump between a queue in memory and a function whose calls the test ends. */
const createWorld = (
  of: {
    limits?: Partial<typeof laneLimits.fast>
    admission?: () => Promise<void>
    /** So many share the lane, always or now. */
    endpoints?: number
    endpointsNow?: () => number
    slowLane?: (entries: readonly QueueEntry[]) => Promise<EntryResult[]>
    /** Calls for this endpoint end by themselves. */
    takesMs?: (endpointId: string) => number | null
  } = {},
) => {
  const clock = createVirtualClock(0)
  const queue: SQSRecord[] = []
  const calls: Call[] = []
  const deleted: string[] = []
  const forwarded: QueueEntry[] = []
  const happenings: Happening[] = []
  const faults: Error[] = []
  let receives = 0
  const receive = async (waitSeconds: number, signal: AbortSignal | undefined): Promise<SQSRecord[]> => {
    receives += 1
    const fault = faults.shift()
    if (fault !== undefined) throw fault
    const untilMs = clock.now() + waitSeconds * 1_000
    while (queue.length === 0 && clock.now() < untilMs && signal?.aborted !== true) {
      await clock.sleep(20, signal)
    }
    return queue.splice(0, 10)
  }
  const slowLane = async (entries: readonly QueueEntry[]): Promise<EntryResult[]> => {
    forwarded.push(...entries)
    return entries.map(() => ({ kind: 'sent' }))
  }
  const overflow = {
    queue: { send: of.slowLane ?? slowLane },
    endpoints: async () => of.endpointsNow?.() ?? of.endpoints ?? 1,
  }
  const pump = startQueuePump({
    lane: 'fast',
    receiver: { receive: query => receive(query?.waitSeconds ?? 0, query?.signal) },
    deleter: {
      deleteMessages: async (_lane, handles) => {
        deleted.push(...handles.map(({ receiptHandle }) => receiptHandle))
      },
    },
    handler: (event: SQSEvent) =>
      new Promise<SQSBatchResponse>((resolve, reject) => {
        calls.push({
          ids: event.Records.map(({ messageId }) => messageId),
          answer: (failures = []) =>
            resolve({ batchItemFailures: failures.map(itemIdentifier => ({ itemIdentifier })) }),
          fail: reject,
        })
        const [first] = event.Records
        const takesMs = first === undefined ? null : (of.takesMs?.(endpointOf(first)) ?? null)
        if (takesMs !== null) void clock.sleep(takesMs).then(() => resolve({ batchItemFailures: [] }))
      }),
    reporter: { report: happening => happenings.push(happening) },
    clock,
    limits: { ...laneLimits.fast, ...of.limits },
    ...(of.admission !== undefined && { admission: of.admission }),
    overflow,
  })
  const pass = (ms: number): Promise<void> => clock.turnTo(clock.now() + ms)
  const end = async (): Promise<void> => {
    const stopping = pump.stop(0)
    await pass(1)
    await stopping
  }
  return {
    ...{ end, pass },
    ...{ clock, queue, calls, deleted, forwarded, happenings, faults, pump },
    receives: () => receives,
  }
}

const sizes = (calls: readonly Call[]): number[] => calls.map(({ ids }) => ids.length)

const handles = (of: readonly SQSRecord[]): string[] => of.map(({ receiptHandle }) => receiptHandle).sort()

describe('the endpoint of a message', () => {
  test('is told by its head, not by what its event holds', () => {
    expect(endpointOf(record(1, 'ep_1'))).toBe('ep_1')
  })

  test('is nobody where the message names none', () => {
    expect(endpointOf({ body: 'not JSON' })).toBe('')
  })
})

describe('the queue pump', () => {
  test('calls the function with batches of ten and deletes what is not in its failures', async () => {
    const world = createWorld()
    world.queue.push(...records(12, 'ep_1'))
    await world.pass(100)
    expect(sizes(world.calls)).toEqual([10, 2])
    world.calls[0]?.answer(['m3'])
    world.calls[1]?.answer()
    await world.pass(100)
    const all = records(12, 'ep_1').map(({ receiptHandle }) => receiptHandle)
    expect([...world.deleted].sort()).toEqual(all.filter(handle => handle !== 'r3').sort())
    expect(world.pump.isIdle()).toBe(true)
    await world.end()
  })

  test('an endpoint that is slow holds up nobody else', async () => {
    const world = createWorld({ limits: { batchesPerEndpointMax: 2 } })
    world.queue.push(...records(60, 'ep_slow'), ...records(15, 'ep_quick', 100))
    await world.pass(200)
    const of = (name: string) =>
      world.calls.filter(({ ids }) => ids.some(id => Number(id.slice(1)) >= 100 === (name === 'ep_quick')))
    expect(sizes(of('ep_slow'))).toEqual([10, 10])
    expect(sizes(of('ep_quick'))).toEqual([10, 5])
    of('ep_slow')[0]?.answer()
    await world.pass(100)
    expect(sizes(of('ep_slow'))).toEqual([10, 10, 10])
    await world.end()
  })

  test('receives no more while it has enough in hand, and goes on when there is room', async () => {
    const world = createWorld({
      limits: { messagesInHandMax: 20, receiversMax: 1, batchesPerEndpointMax: 1 },
    })
    world.queue.push(...records(50, 'ep_1'))
    await world.pass(200)
    expect(world.queue).toHaveLength(30)
    world.calls[0]?.answer()
    await world.pass(200)
    expect(world.queue).toHaveLength(20)
    await world.end()
  })

  test('large messages count by their bytes', async () => {
    const world = createWorld({ limits: { bytesInHandMax: 1_000, receiversMax: 1 } })
    world.queue.push(...records(30, 'ep_1'))
    await world.pass(200)
    expect(world.queue).toHaveLength(20)
    await world.end()
  })

  test('receives nothing until whoever reads the output can take more', async () => {
    const reader = Promise.withResolvers<void>()
    const world = createWorld({ admission: () => reader.promise })
    world.queue.push(...records(1, 'ep_1'))
    await world.pass(100)
    expect(world.receives()).toBe(0)
    reader.resolve()
    await world.pass(100)
    expect(sizes(world.calls)).toEqual([1])
    await world.end()
  })

  test('a call over its time is given up: its messages stay in the queue, and others go on', async () => {
    const world = createWorld({ limits: { batchesPerEndpointMax: 1 } })
    world.queue.push(...records(11, 'ep_1'))
    await world.pass(functionTimeoutMs + 1_000)
    expect(sizes(world.calls)).toEqual([10, 1])
    world.calls[0]?.answer()
    world.calls[1]?.answer()
    await world.pass(100)
    expect(world.deleted).toEqual(['r10'])
    expect(world.happenings).toMatchObject([{ kind: 'fault', reason: 'function_timeout', delayMs: 360_000 }])
    await world.end()
  })

  test('a call that throws deletes nothing and is told', async () => {
    const world = createWorld()
    world.queue.push(...records(2, 'ep_1'))
    await world.pass(100)
    world.calls[0]?.fail(new Error('secret detail'))
    await world.pass(100)
    expect(world.deleted).toEqual([])
    expect(world.happenings).toMatchObject([{ kind: 'fault', reason: 'unexpected' }])
    expect(JSON.stringify(world.happenings)).not.toContain('secret detail')
    expect(world.pump.isIdle()).toBe(true)
    await world.end()
  })

  test('a queue that can not be asked is asked again after a second', async () => {
    const world = createWorld()
    world.faults.push(new Error('no network'))
    await world.pass(999)
    world.queue.push(...records(1, 'ep_1'))
    expect([world.happenings.length, world.calls.length]).toEqual([1, 0])
    await world.pass(100)
    expect(world.calls.length).toBe(1)
    await world.end()
  })

  test('while nothing comes it asks once in 20 s', async () => {
    const world = createWorld()
    await world.pass(100_000)
    expect(world.receives()).toBeLessThanOrEqual(6)
    await world.end()
  })

  test('stopping waits for the calls under way and begins no other', async () => {
    const world = createWorld({ limits: { batchesPerEndpointMax: 1 } })
    world.queue.push(...records(20, 'ep_1'))
    await world.pass(100)
    let stopped = false
    const stopping = world.pump.stop(5_000).then(() => {
      stopped = true
    })
    await world.pass(1_000)
    expect(stopped).toBe(false)
    world.calls[0]?.answer()
    await world.pass(1_000)
    await stopping
    expect(sizes(world.calls)).toEqual([10])
    expect(world.deleted).toHaveLength(10)
  })

  test('stopping leaves a call that hangs behind after its time', async () => {
    const world = createWorld()
    world.queue.push(...records(1, 'ep_1'))
    await world.pass(100)
    const stopping = world.pump.stop(5_000)
    await world.pass(5_000)
    await stopping
    expect(world.deleted).toEqual([])
  })
})

describe('a lane with no room left', () => {
  const neverEnds = (endpointId: string): number | null => (endpointId === 'ep_never' ? null : 50)

  test('keeps nobody waiting for one that never ends: its excess goes to the slow lane', async () => {
    const world = createWorld({ endpoints: 2, takesMs: neverEnds })
    const never = records(5_000, 'ep_never')
    const quick = records(100, 'ep_quick', 5_000)
    world.queue.push(...never, ...quick)
    await world.pass(laggingMs + 2_000)
    const called = new Set(world.calls.flatMap(({ ids }) => ids))
    expect(quick.filter(({ messageId }) => !called.has(messageId))).toEqual([])
    expect(world.queue).toHaveLength(0)
    const bodies = new Set(world.forwarded.map(({ body }) => body))
    const away = never.filter(({ body }) => bodies.has(body))
    expect(world.forwarded.length).toBe(away.length)
    // What is left is under the level at which anybody is kept out.
    expect(never.length - away.length).toBeLessThanOrEqual(900)
    expect([...world.deleted].sort()).toEqual(handles([...away, ...quick]))
    await world.end()
  })

  test('forwards a message as it is: body, group and fault count', async () => {
    const world = createWorld({ endpoints: 2, limits: { messagesInHandMax: 20, batchesPerEndpointMax: 1 } })
    const faults = { faultCount: '3', faultsSinceMs: '77' }
    const messageAttributes = Object.fromEntries(
      Object.entries(faults).map(([name, stringValue]) => [name, { dataType: 'Number', stringValue }]),
    )
    const last = { ...record(19, 'ep_1'), messageAttributes }
    const attributes = { ...last.attributes, MessageGroupId: 'ep_1' }
    world.queue.push(...records(19, 'ep_1'), { ...last, attributes })
    await world.pass(laggingMs + 500)
    expect(world.forwarded.at(-1)).toEqual({
      lane: 'slow',
      group: 'ep_1',
      body: last.body,
      delayMs: 0,
      faults: { count: 3, sinceMs: 77 },
    })
    expect(world.forwarded).toHaveLength(10)
    await world.end()
  })

  test.each([
    ['keep up', 200],
    ['are slow alike, as on a busy machine', 800],
  ])('leaves two that %s where they are', async (_, ms) => {
    const world = createWorld({ endpoints: 2, takesMs: () => ms })
    for (let id = 0; id < 10_000; id += 1) world.queue.push(record(id, `ep_${id % 2}`))
    await world.pass(120_000)
    expect(world.deleted).toHaveLength(10_000)
    expect(world.forwarded).toEqual([])
    await world.end()
  })

  test('forwards as soon as one more shares the lane, and not before', async () => {
    let endpoints = 1
    const world = createWorld({
      endpointsNow: () => endpoints,
      limits: { messagesInHandMax: 100, batchesPerEndpointMax: 1 },
    })
    world.queue.push(...records(200, 'ep_never'), ...records(10, 'ep_quick', 1_000))
    await world.pass(laggingMs * 2)
    expect(world.forwarded).toEqual([])
    endpoints = 2
    await world.pass(laggingMs * 6)
    expect(world.forwarded.length).toBeGreaterThan(0)
    const called = world.calls.flatMap(({ ids }) => ids)
    expect(called.filter(id => Number(id.slice(1)) >= 1_000)).toHaveLength(10)
    await world.end()
  })

  test('leaves one that has it for itself where it is', async () => {
    const world = createWorld()
    world.queue.push(...records(5_000, 'ep_never'))
    await world.pass(laggingMs * 10)
    expect([world.forwarded.length, world.deleted.length]).toEqual([0, 0])
    expect(world.queue.length).toBeGreaterThan(3_900)
    await world.end()
  })

  test.each([
    ['answers that it took only some', async (entries: readonly QueueEntry[]) => onlySome(entries)],
    ['can not be asked', () => Promise.reject(new Error('secret detail'))],
  ])('deletes only what the slow lane has when it %s, and tells', async (_, slowLane) => {
    const taken: string[] = []
    const world = createWorld({
      endpoints: 2,
      limits: { messagesInHandMax: 100, batchesPerEndpointMax: 1 },
      slowLane: async entries => {
        const results = await slowLane(entries)
        taken.push(...entries.filter((_entry, at) => results[at]?.kind === 'sent').map(({ body }) => body))
        return results
      },
    })
    const all = records(100, 'ep_never')
    world.queue.push(...all)
    await world.pass(laggingMs + 500)
    expect([...world.deleted].sort()).toEqual(handles(all.filter(each => taken.includes(each.body))))
    expect(world.happenings).toMatchObject([{ kind: 'fault', delayMs: 1_000 }])
    expect(JSON.stringify(world.happenings)).not.toContain('secret detail')
    await world.end()
  })

  const onlySome = (entries: readonly QueueEntry[]): EntryResult[] =>
    entries.map((_, at) => (at % 2 === 0 ? { kind: 'sent' } : { kind: 'failed', reason: 'throttled' }))
})

describe('what waits in hand', () => {
  test('is not handed to the function after half of its visibility', async () => {
    const world = createWorld({ limits: { batchesPerEndpointMax: 1 } })
    world.queue.push(...records(50, 'ep_never'))
    await world.pass(4 * functionTimeoutMs + 1_000)
    expect(sizes(world.calls)).toEqual([10, 10, 10, 10])
    expect(world.deleted).toEqual([])
    expect(world.pump.isIdle()).toBe(true)
    await world.end()
  })

  test.each([
    [45_000, 80],
    [15_000, 240],
    [5_000, 400],
  ])('is no more in the slow lane than attempts of %i ms are through with by then', (deadlineMs, most) => {
    expect(limitsOf('slow', deadlineMs)).toEqual({ ...laneLimits.slow, messagesInHandMax: most })
    expect(limitsOf('fast', deadlineMs)).toEqual(laneLimits.fast)
  })
})
