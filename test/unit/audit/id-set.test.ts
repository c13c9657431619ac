import { describe, expect, it } from 'vitest'
import { createIdSet } from '../../../shared/domain/audit/id-set.ts'
import { eventHashBits, eventId } from '../../../shared/domain/feedback/event-id.ts'

const idOf = (uuid: string, second = 1_763_631_000): string =>
  eventId({ sourceId: 'main', stream: 'bounces', uuid, second })

describe('a set of event ids', () => {
  it('tells new ids from known ones as a Set does, over many growths', () => {
    const ids = createIdSet()
    const model = new Set<string>()
    for (let at = 0; at < 20_000; at += 1) {
      // Each third one comes again.
      const id = idOf(`record-${at % 3 === 0 ? Math.floor(at / 2) : at}`)
      expect(ids.add(id)).toBe(!model.has(id))
      model.add(id)
    }
    expect(ids.size).toBe(model.size)
    for (const id of model) if (!ids.has(id)) expect.fail('lost')
    for (let at = 0; at < 20_000; at += 1) if (ids.has(idOf(`other-${at}`))) expect.fail('invented')
  })

  it('goes by the hash bits, so that a record whose time was corrected is the same', () => {
    const ids = createIdSet()
    expect(ids.add(idOf('one', 1_763_631_000))).toBe(true)
    expect(ids.add(idOf('one', 1_763_631_001))).toBe(false)
    expect(ids.size).toBe(1)
  })

  it('tells ids apart that differ in any one of the 80 bits', () => {
    const id = idOf('one')
    const bits = eventHashBits(id)
    const ids = createIdSet()
    ids.add(id)
    const letters = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
    for (const [at, letter] of [...bits].entries()) {
      for (const bit of [1, 2, 4, 8, 16]) {
        const other = letters[letters.indexOf(letter) ^ bit] ?? ''
        const changed = id.slice(0, -16) + bits.slice(0, at) + other + bits.slice(at + 1)
        if (!ids.add(changed)) expect.fail(`character ${at}, bit ${bit}`)
      }
    }
    expect(ids.size).toBe(81)
  })
})
