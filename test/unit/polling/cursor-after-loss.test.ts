import { describe, expect, it } from 'vitest'
import { type Cursor, emptyCursor } from '../../../shared/domain/polling/cursor.ts'
import { cursorAfterLoss } from '../../../shared/domain/polling/cursor-after-loss.ts'
import { beginWalk } from '../../../shared/domain/polling/walk-state.ts'
import { dayStart, sampleEvent } from '../../contract/support/samples.ts'
import { createStream } from './start-harness.ts'

const hour = 3_600
const day = 86_400
const at = (second: number) => ({ uuid: `record ${second}`, second: dayStart + second })
const cursor: Cursor = {
  ...emptyCursor,
  ...{ floorSecond: 5, anchor: at(0), origin: at(-9 * day), newest: at(60) },
  place: beginWalk({ from: at(0), newestSecond: null, stopSecond: null }),
  firstWalkComplete: true,
}

/** The cursor after a loss, by a log with an event at each of these seconds. */
const cursorOf = async (before: Cursor, wasAnchor: boolean, seconds: readonly number[]) => {
  const { context, log } = createStream()
  await log.record(seconds.map(second => sampleEvent(second, `record ${second}`)))
  return cursorAfterLoss(context, before, { wasAnchor })
}

describe('the cursor after a loss', () => {
  it('keeps the anchor where only the place was lost: the walk begins anew from there', async () => {
    expect(await cursorOf(cursor, false, [-5])).toEqual({ ...cursor, place: null })
  })

  it('has none again where it had none, and counts no loss', async () => {
    const whole = { ...cursor, anchor: null, anchorsLost: 1 }
    expect(await cursorOf(whole, true, [-5])).toEqual({ ...whole, place: null })
  })

  it('has an older anchor with each loss in a row: the record before, one of an hour, of a day, and none at last', async () => {
    const seconds = [0, -1, -hour, -hour - 1, -day, -day - 1]
    const first = await cursorOf(cursor, true, seconds)
    expect(first).toEqual({ ...cursor, place: null, anchor: at(-1), anchorsLost: 1 })
    const lostBefore = async (anchorsLost: number) => {
      const next = await cursorOf({ ...cursor, anchorsLost }, true, seconds)
      return { anchor: next.anchor, lost: next.anchorsLost }
    }
    expect(await lostBefore(1)).toEqual({ anchor: at(-hour - 1), lost: 2 })
    expect(await lostBefore(2)).toEqual({ anchor: at(-day - 1), lost: 3 })
    expect(await lostBefore(3)).toEqual({ anchor: null, lost: 4 })
    // It is counted no further: after four the list is read whole, however many there were.
    expect(await lostBefore(4)).toEqual({ anchor: null, lost: 4 })
  })

  it('has no anchor where the log knows nothing older', async () => {
    expect(await cursorOf(cursor, true, [0, 60])).toMatchObject({ anchor: null, anchorsLost: 1 })
  })

  it('asks the log for its own stream', async () => {
    const { context, log } = createStream()
    const others = { complaint: { stream: 'complaints' }, elsewhere: { sourceId: 'other' } } as const
    await log.record(Object.entries(others).map(([uuid, of]) => sampleEvent(-1, uuid, of)))
    expect((await cursorAfterLoss(context, cursor, { wasAnchor: true })).anchor).toBeNull()
  })
})
