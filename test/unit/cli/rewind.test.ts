import { describe, expect, test } from 'vitest'
import { createMemoryCursorStore } from '../../../shared/adapters/memory/cursor-store.ts'
import { createMemoryEventLog } from '../../../shared/adapters/memory/event-log.ts'
import { type Cursor, type CursorStore, emptyCursor } from '../../../shared/domain/polling/cursor.ts'
import { rewind } from '../../../shared/domain/polling/rewind.ts'
import { beginWalk } from '../../../shared/domain/polling/walk-state.ts'
import { dayStart, sampleEvent } from '../../contract/support/samples.ts'

const key = { sourceId: 'main', stream: 'bounces', name: 'main' } as const
const anchorAt = (second: number) => ({ uuid: `record-${second}`, second: dayStart + second })
const started: Cursor = {
  ...emptyCursor,
  floorSecond: dayStart,
  anchor: anchorAt(3_000),
  newest: anchorAt(3_600),
  origin: anchorAt(10),
  firstWalkComplete: true,
  lastCompleteWalkAtMs: 1,
  anchorsLost: 2,
}

const world = async (cursor: Cursor = started) => {
  const cursors = createMemoryCursorStore()
  await cursors.commit(key, cursor, null)
  const log = createMemoryEventLog()
  await log.record([10, 1_000, 2_000, 3_000].map(second => sampleEvent(second, `record-${second}`)))
  const to = (second: number, of: { lowerFloor?: boolean; isDryRun?: boolean; via?: CursorStore } = {}) =>
    rewind(
      {
        sourceId: 'main',
        stream: 'bounces',
        toSecond: dayStart + second,
        lowerFloor: of.lowerFloor ?? false,
        isDryRun: of.isDryRun ?? false,
      },
      { cursors: of.via ?? cursors, log },
    )
  return { cursors, to, read: async () => (await cursors.read(key))?.cursor }
}

describe('rewind', () => {
  test('goes back to the newest record of the log from before that second, and no further', async () => {
    const { to, read } = await world()
    const walking = await world({
      ...started,
      place: beginWalk({ from: anchorAt(3_000), newestSecond: null, stopSecond: null }),
    })
    for (const { to: rewindTo, read: readCursor } of [{ to, read }, walking]) {
      expect(await rewindTo(2_000)).toEqual({
        kind: 'rewound',
        from: anchorAt(3_000),
        to: anchorAt(1_000),
        floorSecond: dayStart,
        floorWasSecond: dayStart,
      })
      expect(await readCursor()).toEqual({ ...started, anchor: anchorAt(1_000), anchorsLost: 0, place: null })
    }
  })

  test('reads the whole list where the log has nothing older', async () => {
    const { to, read } = await world()
    expect(await to(5)).toMatchObject({ kind: 'rewound', to: null })
    expect(await read()).toMatchObject({ anchor: null, floorSecond: dayStart })
  })

  test('never moves forward: a cursor from before that second stays', async () => {
    const { to, read } = await world()
    expect(await to(3_001)).toEqual({ kind: 'nothing_to_do', anchor: anchorAt(3_000) })
    const whole = await world({ ...started, anchor: null })
    expect(await whole.to(1_000)).toEqual({ kind: 'nothing_to_do', anchor: null })
    expect(await read()).toEqual(started)
  })

  test('a walk under way that may be past that second begins anew', async () => {
    const place = beginWalk({ from: null, newestSecond: null, stopSecond: null })
    const { to, read } = await world({ ...started, anchor: null, place })
    expect(await to(1_000)).toMatchObject({ kind: 'rewound', from: null, to: null })
    expect(await read()).toMatchObject({ anchor: null, place: null })
  })

  test('goes before the floor only where it may lower it', async () => {
    const { to, read } = await world()
    expect(await to(-100)).toEqual({ kind: 'before_floor', floorSecond: dayStart })
    expect(await read()).toEqual(started)
    expect(await to(-100, { lowerFloor: true })).toMatchObject({
      kind: 'rewound',
      to: null,
      floorSecond: dayStart - 100,
      floorWasSecond: dayStart,
    })
    expect(await read()).toMatchObject({ anchor: null, floorSecond: dayStart - 100, firstWalkComplete: true })
    // A later time does not raise it again.
    expect(await to(-50, { lowerFloor: true })).toMatchObject({ kind: 'nothing_to_do' })
    expect(await read()).toMatchObject({ floorSecond: dayStart - 100 })
  })

  test('an anchor from before the new floor stays: all since then is listed after it', async () => {
    const before = { uuid: 'older', second: dayStart - 500 }
    const { to } = await world({ ...started, anchor: before })
    expect(await to(-100, { lowerFloor: true })).toMatchObject({ from: before, to: before })
  })

  test('a dry run tells the same and writes nothing', async () => {
    const { to, read } = await world()
    expect(await to(2_000, { isDryRun: true })).toMatchObject({ kind: 'rewound', to: anchorAt(1_000) })
    expect(await read()).toEqual(started)
  })

  test('has nothing to go back from where the stream was never read', async () => {
    const { to } = await world({ ...emptyCursor })
    expect(await to(2_000, { lowerFloor: true })).toEqual({ kind: 'not_started' })
  })

  test('a poller that commits meanwhile is not undone: it is read again, and what it wrote stays', async () => {
    const { cursors, to, read } = await world()
    let meddled = 0
    const via: CursorStore = {
      read: cursors.read,
      commit: async (of, next, expected) => {
        if (meddled < 2 && expected !== null) {
          meddled += 1
          await cursors.commit(of, { ...started, newest: anchorAt(3_600 + meddled) }, expected)
        }
        return cursors.commit(of, next, expected)
      },
    }
    expect(await to(2_000, { via })).toMatchObject({ kind: 'rewound', to: anchorAt(1_000) })
    expect(await read()).toMatchObject({ anchor: anchorAt(1_000), newest: anchorAt(3_602) })
  })

  test('one that commits each time is given way to', async () => {
    const { cursors, to, read } = await world()
    const via: CursorStore = { read: cursors.read, commit: async () => 'moved' }
    expect(await to(2_000, { via })).toEqual({ kind: 'busy' })
    expect(await read()).toEqual(started)
  })
})
