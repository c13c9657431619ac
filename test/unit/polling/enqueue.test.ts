import { describe, expect, it } from 'vitest'
import { createMemoryEventLog } from '../../../shared/adapters/memory/event-log.ts'
import { createMemoryReconcileMarks } from '../../../shared/adapters/memory/reconcile-marks.ts'
import type { EntryResult, QueueEntry } from '../../../shared/domain/delivery/delivery-queue.ts'
import type { Endpoint } from '../../../shared/domain/endpoint/endpoint.ts'
import { buildEvent } from '../../../shared/domain/event/build-event.ts'
import { readRecord } from '../../../shared/domain/feedback/read-record.ts'
import type { Happening } from '../../../shared/domain/happenings.ts'
import { createEnqueue, messagesAtOnceMax, type NewEvent } from '../../../shared/domain/polling/enqueue.ts'
import { hourMs } from '../../../shared/domain/time-units.ts'
import { createTestClock, endpointOf, messageIn, nowMs, second } from '../delivery/harness.ts'

const of = { sourceId: 'main', stream: 'bounces' } as const

const newEvent = (uuid: string, at = second): NewEvent => {
  const value = { uuid, timelogged: at, bounce_type: 'h', rcpt: 'someone@example.com' }
  const read = readRecord({ text: JSON.stringify(value), value })
  if (read.kind !== 'record') throw new Error(read.kind)
  const event = buildEvent({ source: { id: of.sourceId }, stream: of.stream, record: read.record })
  return { event, recordId: uuid }
}

const uuidsOf = (events: readonly NewEvent[]): string[] => events.map(({ recordId }) => recordId)

/** `answer`: what the queue says of each entry of a send; default: all are sent. */
const createHarness = (answer: (entries: readonly QueueEntry[]) => EntryResult[] = allSent) => {
  const { clock, turn } = createTestClock()
  const sends: QueueEntry[][] = []
  const happenings: Happening[] = []
  const marked: string[] = []
  const log = createMemoryEventLog()
  const marks = createMemoryReconcileMarks()
  const deps = {
    ...{ clock, log },
    marks: {
      ...marks,
      lower: async (mark: Parameters<typeof marks.lower>[0]) => {
        marked.push(mark.lowestId)
        await marks.lower(mark)
      },
    },
    queue: {
      send: async (entries: readonly QueueEntry[]) => {
        sends.push([...entries])
        return answer(entries)
      },
    },
    reporter: { report: (happening: Happening) => void happenings.push(happening) },
  }
  const enqueue = createEnqueue(deps, of)
  return { enqueue, turn, sends, happenings, marked, deps }
}

const allSent = (entries: readonly QueueEntry[]): EntryResult[] => entries.map(() => ({ kind: 'sent' }))

describe('what is enqueued', () => {
  it('goes to each endpoint that it matches, on its lane, and is logged with them and told', async () => {
    const endpoints: Endpoint[] = [
      endpointOf({ id: 'active' }),
      endpointOf({ id: 'slow', slow: true }),
      endpointOf({ id: 'disabled', state: 'disabled' }),
      endpointOf({ id: 'removed', state: 'removed' }),
      endpointOf({ id: 'others', types: ['email.complaint'] }),
    ]
    const { enqueue, sends, happenings, deps } = createHarness()
    const one = newEvent('one')
    const done = await enqueue([one], endpoints)
    expect([uuidsOf(done.recorded), done.refused, done.failed]).toEqual([['one'], [], []])
    expect(sends.flat().map(({ group, lane }) => [group, lane])).toEqual([
      ['active', 'fast'],
      ['slow', 'slow'],
      ['disabled', 'fast'],
    ])
    const expiresAtSeconds = Math.floor(nowMs / 1_000) + 35 * 86_400
    expect(sends.flat().map(messageIn)[0]).toMatchObject({ eventId: one.event.id, expiresAtSeconds })
    const logged = await deps.log.read({ ...of, eventId: one.event.id })
    expect(logged).toMatchObject({ endpointIds: ['active', 'slow', 'disabled'], expiresAtSeconds })
    expect(happenings).toEqual([
      {
        ...{ kind: 'enqueued', source: 'main', stream: 'bounces', event: one.event.id },
        ...{ type: 'email.bounce.hard', endpoints: ['active', 'slow', 'disabled'] },
        ageMs: nowMs - second * 1_000,
      },
    ])
  })

  it('is logged where no endpoint wants it, and nothing is sent', async () => {
    const { enqueue, sends } = createHarness()
    expect(uuidsOf((await enqueue([newEvent('one')], [])).recorded)).toEqual(['one'])
    expect(sends).toEqual([])
  })

  it('is in no more messages at once than are to be in memory, but for one event that has more', async () => {
    const endpoints = Array.from({ length: messagesAtOnceMax / 2 }, (_, at) => endpointOf({ id: `e${at}` }))
    const { enqueue, sends } = createHarness()
    const done = await enqueue(
      ['a', 'b', 'c'].map(uuid => newEvent(uuid)),
      endpoints,
    )
    expect(sends.map(entries => entries.length)).toEqual([messagesAtOnceMax, messagesAtOnceMax / 2])
    expect(uuidsOf(done.recorded)).toEqual(['a', 'b', 'c'])
    const many = [...endpoints, ...endpoints, endpointOf({ id: 'one more' })]
    const other = createHarness()
    await other.enqueue(
      ['a', 'b'].map(uuid => newEvent(uuid)),
      many,
    )
    expect(other.sends.map(entries => entries.length)).toEqual([messagesAtOnceMax + 1, messagesAtOnceMax + 1])
  })
})

describe('what the queue does not take', () => {
  const endpoints = ['first', 'second'].map(id => endpointOf({ id }))

  it.each<[string, EntryResult[], 'failed' | 'refused', string]>([
    ['failed', [{ kind: 'sent' }, { kind: 'failed', reason: 'throttled' }], 'failed', 'throttled'],
    ['refused', [{ kind: 'sent' }, { kind: 'refused', reason: 'too_large' }], 'refused', 'too_large'],
    [
      'refused, and failed before',
      [
        { kind: 'failed', reason: 'throttled' },
        { kind: 'refused', reason: 'too_large' },
      ],
      'refused',
      'too_large',
    ],
    ['without an answer', [{ kind: 'sent' }], 'failed', 'no_result'],
  ])('%s, of one endpoint, is not logged', async (_, results, verdict, reason) => {
    const { enqueue, happenings, deps } = createHarness(() => results)
    const one = newEvent('one')
    const done = await enqueue([one], endpoints)
    expect(done).toEqual({ recorded: [], refused: [], failed: [], [verdict]: [{ event: one, reason }] })
    expect(await deps.log.read({ ...of, eventId: one.event.id })).toBeNull()
    expect(happenings).toEqual([])
  })

  it('costs no write to the log where it is all that there is', async () => {
    const { deps } = createHarness(() => [{ kind: 'refused', reason: 'too_large' }])
    const log = { ...deps.log, record: () => Promise.reject(new Error('nothing is to be written')) }
    const done = await createEnqueue({ ...deps, log }, of)([newEvent('one')], [endpointOf()])
    expect(done.refused.map(({ reason }) => reason)).toEqual(['too_large'])
  })

  it('does not hold up the others of the page; nor does what the log did not take', async () => {
    const { deps, happenings } = createHarness()
    const [one, two] = [newEvent('one'), newEvent('two')]
    const log = { ...deps.log, record: async () => new Set([two.event.id]) }
    const done = await createEnqueue({ ...deps, log }, of)([one, two], endpoints)
    expect(done.failed).toEqual([{ event: one, reason: 'log_failed' }])
    expect(uuidsOf(done.recorded)).toEqual(['two'])
    expect(happenings).toMatchObject([{ kind: 'enqueued', event: two.event.id }])
  })
})

describe('the marks for reconcile', () => {
  it('are set before the send: the lowest id of each day, once an hour, and again where one is lower', async () => {
    const { enqueue, turn, marked, deps } = createHarness()
    const events = [second + 5, second + 3, second + 9].map(at => newEvent(`at-${at}`, at))
    const lowest = events[1]?.event.id
    deps.queue.send = async () => {
      expect(marked).toEqual([lowest])
      return []
    }
    await enqueue(events, [endpointOf()])
    deps.queue.send = async entries => allSent(entries)
    await enqueue([newEvent('later', second + 7)], [])
    expect(marked).toEqual([lowest])
    const lower = newEvent('lower', second)
    const dayBefore = newEvent('day before', second - 86_400)
    await enqueue([lower, dayBefore], [])
    expect(marked).toEqual([lowest, lower.event.id, dayBefore.event.id])
    await turn(hourMs)
    const again = newEvent('again', second + 8)
    await enqueue([again], [])
    expect(marked.at(-1)).toBe(again.event.id)
  })

  it('name the hour of the send and the day of the records, and are kept by stream', async () => {
    const { enqueue, deps } = createHarness()
    const [one, dayBefore] = [newEvent('one'), newEvent('day before', second - 86_400)]
    await enqueue([one, dayBefore], [])
    const hour = Date.UTC(2026, 10, 20, 9) / hourMs
    expect(await deps.marks.list({ ...of, fromHour: 0, limit: 10 })).toEqual([
      { ...of, hour, day: '2026-11-19', lowestId: dayBefore.event.id },
      { ...of, hour, day: '2026-11-20', lowestId: one.event.id },
    ])
  })

  it('are not set again where a page is read again within the hour', async () => {
    const { enqueue, marked } = createHarness()
    const events = [newEvent('one'), newEvent('later', second + 1)]
    await enqueue(events, [])
    await enqueue(events, [])
    expect(marked).toEqual([events[0]?.event.id])
  })
})
