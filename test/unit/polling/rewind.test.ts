import { describe, expect, it } from 'vitest'
import { createMemoryCursorStore } from '../../../shared/adapters/memory/cursor-store.ts'
import { createMemoryEventLog } from '../../../shared/adapters/memory/event-log.ts'
import { type Cursor, type CursorStore, emptyCursor } from '../../../shared/domain/polling/cursor.ts'
import { rewind } from '../../../shared/domain/polling/rewind.ts'
import { dayStart, sampleEvent } from '../../contract/support/samples.ts'
import { mainKey, of } from './start-harness.ts'

/** What an operator sees of a rewind is in test/unit/cli/rewind.test.ts; here are its borders. */
const anchorAt = (second: number) => ({ uuid: `record ${second}`, second: dayStart + second })
const started: Cursor = {
  ...emptyCursor,
  ...{ floorSecond: dayStart, anchor: anchorAt(300), newest: anchorAt(400), firstWalkComplete: true },
}

/** Rewinds a stream with this cursor, or none, whose log has a record at 0, 100, 200 and 300. */
const rewound = async (cursor: Cursor | null, second: number, over: Partial<CursorStore> = {}) => {
  const cursors = createMemoryCursorStore()
  if (cursor !== null) await cursors.commit(mainKey, cursor, null)
  const log = createMemoryEventLog()
  await log.record([0, 100, 200, 300].map(at => sampleEvent(at, `record ${at}`)))
  const asked = { ...of, toSecond: dayStart + second, lowerFloor: false, isDryRun: false }
  const result = await rewind(asked, { cursors: { ...cursors, ...over }, log })
  return { result, cursor: (await cursors.read(mainKey))?.cursor ?? null }
}

describe('a rewind', () => {
  it.each([
    ['there is no cursor', null],
    ['its start is not found yet', { ...emptyCursor, anchor: null }],
  ])('has nothing to go back from where %s, and writes nothing', async (_, cursor) => {
    expect(await rewound(cursor, 200)).toEqual({ result: { kind: 'not_started' }, cursor })
  })

  it('goes back to the very second of the floor, and not before it', async () => {
    const { result, cursor } = await rewound(started, 0)
    const floor = { floorSecond: dayStart, floorWasSecond: dayStart }
    expect(result).toEqual({ kind: 'rewound', from: anchorAt(300), to: null, ...floor })
    expect(cursor).toEqual({ ...started, anchor: null })
    const before = await rewound(started, -1)
    expect(before).toEqual({ result: { kind: 'before_floor', floorSecond: dayStart }, cursor: started })
  })

  it('goes back where the anchor is of that very second, whose records are all to be read again', async () => {
    const { result, cursor } = await rewound(started, 300)
    expect(result).toMatchObject({ kind: 'rewound', from: anchorAt(300), to: anchorAt(200) })
    expect(cursor).toEqual({ ...started, anchor: anchorAt(200) })
    const after = await rewound(started, 301)
    expect(after).toEqual({ result: { kind: 'nothing_to_do', anchor: anchorAt(300) }, cursor: started })
  })

  it('gives way to a poller that commits each time after ten tries', async () => {
    let tries = 0
    const commit: CursorStore['commit'] = async () => {
      tries += 1
      return 'moved'
    }
    expect((await rewound(started, 200, { commit })).result).toEqual({ kind: 'busy' })
    expect(tries).toBe(10)
  })
})
