import { describe, expect, it } from 'vitest'
import { createAddedRecords } from '../../../infra/simulator/added-records.ts'

const moment = (nowMs: number, { includeSoft = true, oldestSecond = null as number | null } = {}) => ({
  ...{ nowMs, includeSoft, oldestSecond },
})
const uuids = (records: readonly { uuid: string }[]) => records.map(({ uuid }) => uuid)

describe('records that were added', () => {
  it('are the same list at every request until one more shows, or less time has passed', () => {
    const added = createAddedRecords('bounces')
    added.add([{ uuid: 'a', second: 1, visibleAtMs: 1_000 }], 0)
    added.add([{ uuid: 'b', second: 2, visibleAtMs: 5_000 }], 0)
    const first = added.visible(moment(1_000))
    expect(uuids(first)).toEqual(['a'])
    expect(added.visible(moment(4_999))).toBe(first)
    expect(uuids(added.visible(moment(5_000)))).toEqual(['a', 'b'])
    expect(uuids(added.visible(moment(999)))).toEqual([])
    expect(uuids(added.visible(moment(1_000)))).toEqual(['a'])
  })

  it('show and go at once where one is added or removed', () => {
    const added = createAddedRecords('bounces')
    added.add([{ uuid: 'b', second: 2 }], 0)
    expect(uuids(added.visible(moment(10)))).toEqual(['b'])
    added.add([{ uuid: 'a', second: 1 }], 10)
    expect(uuids(added.visible(moment(10)))).toEqual(['a', 'b'])
    added.remove('b')
    expect(uuids(added.visible(moment(10)))).toEqual(['a'])
  })

  it('are told apart by what is asked for: soft ones too, or none that has expired', () => {
    const added = createAddedRecords('bounces')
    const soft = { bounce_type: 's' }
    added.add([{ uuid: 'old', second: 1 }, { uuid: 'soft', second: 2, fields: soft }], 0) // biome-ignore format: one a line
    expect(uuids(added.visible(moment(10)))).toEqual(['old', 'soft'])
    expect(uuids(added.visible(moment(10, { includeSoft: false })))).toEqual(['old'])
    expect(uuids(added.visible(moment(10, { oldestSecond: 2 })))).toEqual(['soft'])
    expect(uuids(added.visible(moment(10)))).toEqual(['old', 'soft'])
  })
})
