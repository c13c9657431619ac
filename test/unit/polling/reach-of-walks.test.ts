import { describe, expect, it } from 'vitest'
import type { Cursor } from '../../../shared/domain/polling/cursor.ts'
import { ago, createMain, fromAnchor, pageOf } from './walk-harness.ts'

describe('how far a walk from the anchor goes', () => {
  const answers = [pageOf([4_000, 3_000], '?page=2'), pageOf([3_000, 2_000])]
  const whole = ['5000 s ago', '4000 s ago']
  const placed = (stop: number) => ({ place: { ...fromAnchor, stopSecond: ago(stop).second } })

  it.each<[string, 'news' | 'reread', number | null, Partial<Cursor>, readonly string[]]>([
    ['to the end of the list, where it catches up', 'news', 3_500, {}, whole],
    ['to the end, where it catches up what was to stop', 'news', null, placed(3_500), whole],
    ['to where it is told, where it reads the overlap once more', 'reread', 3_500, {}, ['5000 s ago']],
    ['to the end, where it is told nothing', 'reread', null, {}, whole],
    ['to where it was to stop when it began', 'reread', 2_500, placed(3_500), ['5000 s ago']],
    [
      'to where it was to stop when it began, even if told nothing now',
      'reread',
      null,
      placed(3_500),
      ['5000 s ago'],
    ],
  ])('is %s', async (_, purpose, stop, over, asked) => {
    const { walk, lastIds } = await createMain({ answers, cursor: over })
    const stopSecond = stop === null ? null : ago(stop).second
    expect((await walk({ purpose, stopSecond })).report.end).toEqual({ kind: 'complete' })
    expect(lastIds()).toEqual(asked)
  })

  it.each<[string, Partial<Cursor>, readonly (string | null)[]]>([
    ['by `next`, after a loss, in the whole list', { anchor: null, anchorsLost: 4 }, [null, 'page=2', null]],
    ['by its own records in the whole list, at the start', { anchor: null }, [null, '4000 s ago']],
    ['by its own records, once an older anchor was found', { anchorsLost: 1 }, whole],
  ])('and whether it goes on %s', async (_, over, asked) => {
    // A walk by `next` asks for its first page once more: that it has not grown proves that nothing was left out.
    const { walk, lastIds } = await createMain({ answers: [...answers, ...answers], cursor: over })
    expect((await walk({})).report.end).toEqual({ kind: 'complete' })
    expect(lastIds()).toEqual(asked)
  })

  it.each<[string, Partial<Cursor>, number | null]>([
    ['at once, where a record was known that is newer by the overlap', { newest: ago(3_880) }, 4_000],
    ['not yet, where what was known is not newer by the overlap', { newest: ago(3_881) }, 5_000],
    ['not yet, where nothing was known', { newest: null }, 5_000],
    [
      'not yet, where the whole list is read, which may have forgotten it',
      { anchor: null, newest: ago(9) },
      null,
    ],
  ])('and its anchor moves to an old record %s', async (_, over, anchor) => {
    const { walk } = await createMain({ answers: [pageOf([4_000, 3_950], '?page=2')], cursor: over })
    const { cursor: after } = (await walk({ isOver: () => true })).at
    expect(after.anchor).toEqual(anchor === null ? null : ago(anchor))
  })
})
