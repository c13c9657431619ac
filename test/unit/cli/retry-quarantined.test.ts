import { describe, expect, test } from 'vitest'
import { createMemoryCursorStore } from '../../../shared/adapters/memory/cursor-store.ts'
import { createMemoryEventLog } from '../../../shared/adapters/memory/event-log.ts'
import { createMemoryReconcileMarks } from '../../../shared/adapters/memory/reconcile-marks.ts'
import { decodeMessage } from '../../../shared/domain/delivery/delivery-message.ts'
import type { EntryResult, QueueEntry } from '../../../shared/domain/delivery/delivery-queue.ts'
import { eventId } from '../../../shared/domain/feedback/event-id.ts'
import { emptyCursor } from '../../../shared/domain/polling/cursor.ts'
import { createRetryQuarantined, readQuarantined } from '../../../shared/domain/polling/retry-quarantined.ts'
import { endpointOf } from '../../integration/cli/filled-table.ts'

const nowMs = Date.parse('2026-11-20T06:00:00Z')
const second = nowMs / 1_000 - 3_600
const of = { sourceId: 'main', stream: 'bounces' } as const
const textOf = (value: object): { text: string } => ({ text: JSON.stringify(value) })
const record = textOf({ uuid: 'a', timelogged: second, bounce_type: 'h' })
const idOf = (uuid: string, at = second): string => eventId({ ...of, uuid, second: at })

const world = async ({
  floorSecond = 0,
  answer = { kind: 'sent' },
}: {
  floorSecond?: number | null
  answer?: EntryResult
} = {}) => {
  const cursors = createMemoryCursorStore()
  const cursor = { ...emptyCursor, floorSecond, firstWalkComplete: true }
  await cursors.commit({ ...of, name: 'main' }, cursor, null)
  const log = createMemoryEventLog()
  const marks = createMemoryReconcileMarks()
  const sent: QueueEntry[] = []
  const retry = createRetryQuarantined(
    {
      cursors,
      log,
      marks,
      queue: {
        send: async entries => {
          sent.push(...entries)
          return entries.map(() => answer)
        },
      },
      endpoints: async () => [endpointOf('crm'), endpointOf('shop'), endpointOf('was', { state: 'removed' })],
      reporter: { report: () => undefined },
      clock: { now: () => nowMs, sleep: async () => undefined },
    },
    of,
  )
  const logged = async (id: string) => log.read({ ...of, eventId: id })
  return { retry, sent, logged, marks }
}

describe('a quarantined record that is read again', () => {
  test('goes to every endpoint that it matches, then to the log, and is marked for reconcile', async () => {
    const { retry, sent, logged, marks } = await world()
    expect(await retry(record)).toEqual({ kind: 'enqueued', eventId: idOf('a') })
    expect(sent.map(({ group }) => group)).toEqual(['crm', 'shop'])
    const message = decodeMessage(sent[0]?.body ?? '')
    expect(message).toMatchObject({
      kind: 'message',
      message: { eventId: idOf('a'), type: 'email.bounce.hard' },
    })
    expect((await logged(idOf('a')))?.endpointIds).toEqual(['crm', 'shop'])
    expect(await marks.list({ ...of, fromHour: 0, limit: 10 })).toHaveLength(1)
  })

  test('is sent no second time where the log has it', async () => {
    const { retry, sent } = await world()
    await retry(record)
    expect(await retry(record)).toEqual({ kind: 'known', eventId: idOf('a') })
    expect(sent).toHaveLength(2)
  })

  test('is sent however old it is', async () => {
    const { retry, logged } = await world()
    const old = second - 300 * 86_400
    expect(await retry(textOf({ uuid: 'old', timelogged: old }))).toEqual({
      kind: 'enqueued',
      eventId: idOf('old', old),
    })
    expect(await logged(idOf('old', old))).not.toBeNull()
  })

  test('stays where today’s code can’t read it either', async () => {
    const { retry, sent } = await world()
    const reasons = await Promise.all(
      [textOf({ uuid: 'a' }), textOf([1]), { text: '{"uuid":' }].map(async one => retry(one)),
    )
    expect(reasons).toEqual([
      { kind: 'unreadable', reason: 'no_usable_time' },
      { kind: 'unreadable', reason: 'not_an_object' },
      { kind: 'unreadable', reason: 'not_an_object' },
    ])
    expect(sent).toEqual([])
    expect(readQuarantined(record).kind).toBe('record')
  })

  test('stays where its floor is later, or nobody knows yet where the stream begins', async () => {
    const early = await world({ floorSecond: second + 1 })
    expect(await early.retry(record)).toEqual({ kind: 'before_floor' })
    const unknown = await world({ floorSecond: null })
    expect(await unknown.retry(record)).toEqual({ kind: 'not_started' })
    expect([...early.sent, ...unknown.sent]).toEqual([])
  })

  test('stays where the queue refuses it for good, or does not take it now', async () => {
    const refused = await world({ answer: { kind: 'refused', reason: 'too_large' } })
    expect(await refused.retry(record)).toEqual({ kind: 'unreadable', reason: 'queue_refused: too_large' })
    const failed = await world({ answer: { kind: 'failed', reason: 'queue_unavailable' } })
    expect(await failed.retry(record)).toEqual({ kind: 'failed', reason: 'queue_unavailable' })
    expect(await failed.logged(idOf('a'))).toBeNull()
  })
})
