import { describe, expect, test } from 'vitest'
import { createFollowing } from '../../../../infra/cli/events/following.ts'
import type { OfStream, PageQuery } from '../../../../shared/adapters/dynamodb/event-pages.ts'
import { createMemoryReconcileMarks } from '../../../../shared/adapters/memory/reconcile-marks.ts'
import { eventDay, eventId } from '../../../../shared/domain/feedback/event-id.ts'
import type { EventSummary } from '../../../../shared/domain/polling/event-log.ts'

/** 2026-11-20T11:30:00Z */
const start = 1_795_132_800 + 11.5 * 3_600
const stream = { sourceId: 'main', stream: 'bounces' } as const
const pageSize = 3

/** A log that is written as the poller does, a clock that is turned by hand, and how many events were read. */
const world = () => {
  let nowSecond = start
  let read = 0
  const events: EventSummary[] = []
  const marks = createMemoryReconcileMarks()
  const write = async (name: string, secondsAgo: number, of: { stampedAgo?: number } = {}) => {
    const second = nowSecond - secondsAgo
    const id = eventId({ ...stream, uuid: name, second })
    const loggedAt = nowSecond - (of.stampedAgo ?? 0)
    await marks.lower({ ...stream, hour: Math.floor(loggedAt / 3_600), day: eventDay(id), lowestId: id })
    events.push({
      ...stream,
      id,
      type: 'email.bounce.hard',
      recordId: name,
      second,
      endpointIds: [],
      loggedAtMs: loggedAt * 1_000,
      expiresAtSeconds: second + 35 * 86_400,
    })
  }
  const summaries = async (query: OfStream & PageQuery) => {
    const found = events
      .filter(event => eventDay(event.id) === query.day && event.id >= query.fromId && event.id <= query.toId)
      .filter(({ id }) => query.after === null || id > query.after)
      .sort((one, other) => (one.id < other.id ? -1 : 1))
    const items = found.slice(0, pageSize)
    read += items.length
    return { items, after: found.length > pageSize ? (items.at(-1)?.id ?? null) : null }
  }
  const following = createFollowing({
    streams: async () => [stream],
    marks,
    pages: { summaries },
    clock: { now: () => nowSecond * 1_000 },
  })
  const pass = async (): Promise<string[]> => (await following.pass()).map(({ recordId }) => recordId)
  return {
    write,
    pass,
    following,
    wait: (seconds: number) => {
      nowSecond += seconds
    },
    readSince: (): number => {
      const count = read
      read = 0
      return count
    },
  }
}

describe('following the log', () => {
  test('shows each event once, in the order of logging, and in a quick pass', async () => {
    const { write, pass, wait } = world()
    await write('old', 500)
    expect(await pass()).toEqual(['old'])
    wait(2)
    await write('b', 10)
    wait(1)
    await write('a', 20)
    expect(await pass()).toEqual(['b', 'a'])
    expect(await pass()).toEqual([])
  })

  test('finds what is lower than anything that was written in the hour at once', async () => {
    const { write, pass, wait } = world()
    await write('old', 500)
    await pass()
    wait(2)
    await write('late', 5_000)
    await write('yesterday', 90_000)
    expect((await pass()).toSorted()).toEqual(['late', 'yesterday'])
  })

  test('finds a late record between others with the next whole pass', async () => {
    const { write, pass, wait } = world()
    await write('lowest', 5_000)
    await write('newest', 10)
    await pass()
    wait(2)
    await write('late', 1_000)
    expect(await pass()).toEqual([])
    wait(60)
    expect(await pass()).toEqual(['late'])
    wait(60)
    expect(await pass()).toEqual([])
  })

  test('finds what was stamped before the whole pass and is in the log after it, over the end of an hour', async () => {
    const { write, pass, wait } = world()
    await write('first', 10)
    await pass()
    // 11:30 to 12:04: stamped at 11:57.
    wait(2_040)
    await pass()
    wait(60)
    await write('held up', 600, { stampedAgo: 480 })
    expect(await pass()).toEqual(['held up'])
  })

  test('reads little in a quick pass, however much the hour holds', async () => {
    const { write, pass, wait, readSince } = world()
    for (let at = 0; at < 300; at += 1) await write(`old ${at}`, 4_000 - at * 10)
    await pass()
    expect(readSince()).toBe(300)
    wait(2)
    await write('new', 1)
    expect(await pass()).toEqual(['new'])
    expect(readSince()).toBeLessThan(20)
  })

  test('a record of the future hides nothing', async () => {
    const { write, pass, wait } = world()
    await write('lowest', 5_000)
    await write('future', -3_600)
    await pass()
    wait(2)
    await write('new', 3)
    expect(await pass()).toEqual(['new'])
  })

  test('does not show again what was shown as past', async () => {
    const { write, pass, wait, following } = world()
    await pass()
    wait(2)
    await write('a', 5)
    const shown = { ...stream, id: eventId({ ...stream, uuid: 'a', second: start + 2 - 5 }) }
    following.know({
      ...shown,
      type: 'email.bounce.hard',
      recordId: 'a',
      second: start - 3,
      endpointIds: [],
      loggedAtMs: (start + 2) * 1_000,
      expiresAtSeconds: start + 86_400,
    })
    expect(await pass()).toEqual([])
  })
})
