import { describe, expect, it } from 'vitest'
import { eventDay, eventId } from '../../../shared/domain/feedback/event-id.ts'
import type { EventLog } from '../../../shared/domain/polling/event-log.ts'
import {
  agedSeconds,
  type Candidate,
  createKnownRecords,
  driftSeconds,
  rememberedMax,
  stretchesMax,
} from '../../../shared/domain/polling/known-records.ts'

const of = { sourceId: 'main', stream: 'bounces' } as const
const noon = Date.UTC(2026, 10, 20, 12) / 1000
const midnight = Date.UTC(2026, 10, 21) / 1000
const candidate = (second: number, uuid = `r${second}`): Candidate => ({
  id: eventId({ ...of, uuid, second }),
  second,
})

/** An id that costs no hashing: its hash bits are a number. */
const quickId = (at: number): string => `evt_01K5M3V8Q0${String(at).padStart(16, '0')}`

/** A log of these ids that notes what it is asked. */
const knownOf = (logged: readonly Candidate[]) => {
  const ids = logged.map(({ id }) => id)
  const asked = { ranges: 0, keys: 0 }
  const stale: string[] = []
  const unused = () => Promise.reject(new Error('not asked'))
  const log: EventLog = {
    idsInRange: async ({ firstId, lastId, staleWillDo }) => {
      if (staleWillDo === true) stale.push(...ids.filter(id => id >= firstId && id <= lastId))
      expect(eventDay(firstId)).toBe(eventDay(lastId))
      asked.ranges += 1
      return ids.filter(id => id >= firstId && id <= lastId)
    },
    existing: async query => {
      asked.keys += query.ids.length
      if (query.staleWillDo === true) stale.push(...query.ids)
      return new Set(query.ids.filter(id => ids.includes(id)))
    },
    record: unused,
    read: unused,
    newestOfDay: unused,
    pageOfDay: unused,
  }
  const clock = { now: () => noon * 1_000, sleep: unused }
  return { known: createKnownRecords({ log, clock, ...of }), asked, stale, log }
}

describe('what is known of a page', () => {
  it('is what the log holds, by one read of its time', async () => {
    const { known, asked } = knownOf([candidate(noon), candidate(noon + 5)])
    const page = [candidate(noon), candidate(noon + 3), candidate(noon + 5)]
    expect(await known.among(page)).toEqual(new Set([candidate(noon).id, candidate(noon + 5).id]))
    expect(asked).toEqual({ ranges: 1, keys: 0 })
  })

  it('is what this process recorded, without any read', async () => {
    const { known, asked } = knownOf([])
    known.remember([candidate(noon).id])
    expect(await known.among([candidate(noon)])).toEqual(new Set([candidate(noon).id]))
    expect(asked).toEqual({ ranges: 0, keys: 0 })
  })

  it('is remembered: the same page is not looked up twice', async () => {
    const { known, asked } = knownOf([candidate(noon)])
    await known.among([candidate(noon)])
    await known.among([candidate(noon)])
    expect(asked.ranges).toBe(1)
  })

  it('is found by the hash bits where the service now rounds the time to another second', async () => {
    const { known } = knownOf([candidate(noon, 'same')])
    const moved = candidate(noon + 1, 'same')
    expect(await known.among([moved])).toEqual(new Set([moved.id]))
  })

  it('is read a day at a time', async () => {
    const logged = [candidate(midnight - 1), candidate(midnight)]
    const { known, asked } = knownOf(logged)
    expect((await known.among(logged)).size).toBe(2)
    expect(asked.ranges).toBe(2)
  })

  it('is looked up by key where the page is more scattered than a few stretches', async () => {
    const scattered = Array.from({ length: stretchesMax + 1 }, (_, day) =>
      candidate(noon - (day + 1) * 86_400),
    )
    const { known, asked } = knownOf(scattered)
    expect((await known.among(scattered)).size).toBe(scattered.length)
    expect(asked).toEqual({ ranges: 0, keys: scattered.length })
  })

  it('may be read stale of what is aged, and only of that: by its time', async () => {
    const [aged, recent] = [candidate(noon - agedSeconds - 10), candidate(noon - agedSeconds)]
    const { known, asked, stale } = knownOf([aged, recent])
    expect((await known.among([aged, recent])).size).toBe(2)
    expect(asked.ranges).toBe(2)
    expect(stale).toEqual([aged.id])
  })

  it('may be read stale of what is aged, and only of that: by key', async () => {
    const days = Array.from({ length: stretchesMax + 1 }, (_, day) => candidate(noon - (day + 1) * 86_400))
    const { known, asked, stale } = knownOf([...days, candidate(noon)])
    expect((await known.among([...days, candidate(noon)])).size).toBe(days.length + 1)
    expect(asked).toEqual({ ranges: 1, keys: days.length })
    expect(stale).toEqual(days.map(({ id }) => id))
  })

  it('regression: is never read stale of the second in which a stream starts, whose records have no delivery', async () => {
    const old = candidate(noon - 86_400)
    const { known, stale } = knownOf([old])
    expect((await known.among([{ ...old, isOfFloor: true }])).size).toBe(1)
    expect(stale).toEqual([])
  })

  it('is never read stale without a clock', async () => {
    const { log, stale } = knownOf([candidate(noon - 86_400)])
    expect((await createKnownRecords({ log, ...of }).among([candidate(noon - 86_400)])).size).toBe(1)
    expect(stale).toEqual([])
  })

  it('is nothing of an empty page, and no read', async () => {
    const { known, asked } = knownOf([])
    expect(await known.among([])).toEqual(new Set())
    expect(asked.ranges).toBe(0)
  })

  it('is bounded in memory: what was seen last is forgotten last', async () => {
    const { known } = knownOf([])
    known.remember([candidate(1).id, candidate(2).id])
    known.remember(Array.from({ length: rememberedMax - 2 }, (_, index) => candidate(10 + index).id))
    known.remember([candidate(1).id, candidate(5).id])
    expect(await known.among([candidate(1), candidate(2), candidate(5)])).toEqual(
      new Set([candidate(1).id, candidate(5).id]),
    )
  })

  it('is what was seen last of as many records as are remembered, and not one more', async () => {
    const { known, asked } = knownOf([])
    const ids = Array.from({ length: rememberedMax }, (_, at) => quickId(at))
    known.remember(ids)
    const first = { id: quickId(0), second: noon }
    expect(await known.among([first])).toEqual(new Set([first.id]))
    expect(asked.ranges).toBe(0)
    // The look has made it the last one to be forgotten, so the second one is forgotten now.
    known.remember([quickId(rememberedMax)])
    const second = { id: quickId(1), second: noon }
    expect(await known.among([first, second])).toEqual(new Set([first.id]))
    expect(asked.ranges).toBe(1)
  })
})

describe('a page is looked up by time', () => {
  it('in one read of what lies no more than ten minutes apart, and another one of what lies further', async () => {
    const together = [0, 600, 1_200].map(back => candidate(noon - 86_400 - back))
    const oneStretch = knownOf(together)
    expect((await oneStretch.known.among(together)).size).toBe(3)
    expect(oneStretch.asked).toEqual({ ranges: 1, keys: 0 })
    const apart = [0, 601, 1_201].map(back => candidate(noon - 86_400 - back))
    const twoStretches = knownOf(apart)
    expect((await twoStretches.known.among(apart)).size).toBe(3)
    expect(twoStretches.asked).toEqual({ ranges: 2, keys: 0 })
  })

  it('in as many reads as there may be stretches of it', async () => {
    const apart = Array.from({ length: stretchesMax }, (_, day) => candidate(noon - (day + 1) * 86_400))
    const { known, asked } = knownOf(apart)
    expect((await known.among(apart)).size).toBe(stretchesMax)
    expect(asked).toEqual({ ranges: stretchesMax, keys: 0 })
  })

  it('up to the first second of the next day, which the service may round a record to', async () => {
    const { known, asked } = knownOf([candidate(midnight, 'same')])
    const before = candidate(midnight - driftSeconds, 'same')
    expect(await known.among([before])).toEqual(new Set([before.id]))
    expect(asked).toEqual({ ranges: 2, keys: 0 })
  })
})
