import { expect, test } from 'vitest'
import { createIdSet } from '../../../shared/domain/audit/id-set.ts'
import { idOf } from '../delivery/harness.ts'

test('a set of event ids keeps every one through its first growths, and takes none for new twice', () => {
  const set = createIdSet()
  const ids = Array.from({ length: 3_000 }, (_, at) => idOf(`event ${at}`))
  expect(ids.filter(id => set.add(id))).toEqual(ids)
  expect(set.size).toBe(ids.length)
  expect(ids.filter(id => set.add(id) || !set.has(id))).toEqual([])
  expect([set.size, set.has(idOf('another'))]).toEqual([ids.length, false])
})
