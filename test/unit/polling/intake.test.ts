import { describe, expect, it } from 'vitest'
import { buildEvent, eventBodyBytesMax } from '../../../shared/domain/event/build-event.ts'
import { rawHash } from '../../../shared/domain/feedback/read-record.ts'
import type { FeedbackRecord } from '../../../shared/domain/feedback/record.ts'
import type { Enqueue } from '../../../shared/domain/polling/enqueue.ts'
import {
  addCounts,
  memoryFrom,
  noCounts,
  type ReadPage,
  readPage,
} from '../../../shared/domain/polling/intake.ts'
import { idOf, second } from '../delivery/harness.ts'
import { createIntakeHarness, of, pageApart, pageOf, recordOf, rules, unreadable } from './intake-harness.ts'
import { serviceRecord } from './world/records.ts'

describe('a page as it is read', () => {
  it('has its records in their order, each as an anchor; what cannot be read stands apart with the reason', () => {
    const [a, b] = [serviceRecord({ uuid: 'a', second: 9 }).raw, serviceRecord({ uuid: 'b', second: 7 }).raw]
    const [untimed, text] = [serviceRecord({ uuid: 'c', second: 8, readable: false }).raw, unreadable('text')]
    expect(readPage([a, untimed, b, text])).toEqual({
      records: [
        { uuid: 'a', second: 9, raw: a },
        { uuid: 'b', second: 7, raw: b },
      ],
      unreadable: [
        { raw: untimed, reason: 'no_usable_time' },
        { raw: text, reason: 'not_an_object' },
      ],
      anchors: [
        { uuid: 'a', second: 9 },
        { uuid: 'b', second: 7 },
      ],
    })
  })

  it('is counted together with those before it', () => {
    const one = { read: 63, enqueued: 1, known: 2, quarantined: 4, beforeFloor: 8, beyondMemory: 16 }
    const other = { read: 50, enqueued: 9, known: 8, quarantined: 7, beforeFloor: 6, beyondMemory: 5 }
    expect(addCounts(one, other)).toEqual({
      ...{ read: 113, enqueued: 10, known: 10, quarantined: 11, beforeFloor: 14, beyondMemory: 21 },
    })
  })
})

describe('the new records of a page', () => {
  it('are handed on as events, in their order, with the endpoints, and are known from then on', async () => {
    const { intake, handedOn } = createIntakeHarness()
    const [a, b] = [recordOf('a'), recordOf('b')]
    const first = await intake(pageOf(a, b), rules)
    expect(first).toEqual({ counts: { ...noCounts, read: 2, enqueued: 2 }, failure: null })
    expect(handedOn).toEqual([
      { uuids: ['a', 'b'], raws: [a.raw.text, b.raw.text], endpoints: ['first', 'second'] },
    ])
    const again = await intake(pageOf(a, b), rules)
    expect(again).toEqual({ counts: { ...noCounts, read: 2, known: 2 }, failure: null })
  })

  it('are left to another run that has taken the lease meanwhile, and are new to whoever comes next', async () => {
    const { intake, handedOn } = createIntakeHarness()
    const page = pageOf(recordOf('a'), recordOf('b'))
    const left = await intake(page, rules, async () => false)
    expect(left).toEqual({ counts: { ...noCounts, read: 2 }, failure: null, isSuperseded: true })
    expect(handedOn).toEqual([])
    const taken = await intake(page, rules, async () => true)
    expect(taken).toEqual({ counts: { ...noCounts, read: 2, enqueued: 2 }, failure: null })
  })

  it('alone let the lease be looked at: a page of known ones costs no reading', async () => {
    const { intake } = createIntakeHarness()
    let looks = 0
    const isOurs = async (): Promise<boolean> => {
      looks += 1
      return true
    }
    await intake(pageOf(recordOf('a')), rules, isOurs)
    await intake(pageOf(recordOf('a')), rules, isOurs)
    expect(looks).toBe(1)
  })

  it('are none where all are known: then no endpoint is read, and nothing is handed on', async () => {
    const { intake, known, handedOn, askedOften } = createIntakeHarness()
    known.remember([idOf('a')])
    await intake(pageOf(recordOf('a')), rules)
    expect([handedOn, askedOften()]).toEqual([[], 0])
  })

  it('are each handed on once, as the page shows it first, be it another second later on', async () => {
    const { intake, handedOn } = createIntakeHarness()
    const [a, b] = [recordOf('a'), recordOf('b')]
    const later = recordOf('a', second + 1)
    const { counts } = await intake(pageOf(a, b, later), rules)
    expect(counts).toEqual({ ...noCounts, read: 3, enqueued: 2 })
    expect(handedOn.map(({ raws }) => raws)).toEqual([[a.raw.text, b.raw.text]])
  })

  it('are those of the floor and later, and of what the log remembers', async () => {
    const { intake, uuids } = createIntakeHarness()
    const records = [-21, -20, -11, -10].map(at => recordOf(`at ${at}`, second + at))
    const { counts } = await intake(pageOf(...records), {
      floorSecond: second - 20,
      memoryFromSecond: second - 10,
    })
    expect(counts).toEqual({ ...noCounts, read: 4, beforeFloor: 1, beyondMemory: 2, enqueued: 1 })
    expect(uuids()).toEqual([['at -10']])
    const first = createIntakeHarness()
    await first.intake(pageOf(...records), { ...rules, floorSecond: second - 20 })
    expect(first.uuids()).toEqual([['at -20', 'at -11', 'at -10']])
  })

  it('are looked up with their seconds; two seconds from the floor on, each may have been logged at the start', async () => {
    const { intake, candidates } = createIntakeHarness()
    const records = [-1, 0, 2, 3].map(at => recordOf(`at ${at}`, second + at))
    await intake(pageOf(...records), { ...rules, floorSecond: second })
    expect(candidates).toEqual([
      { id: idOf('at 0'), second, isOfFloor: true },
      { id: idOf('at 2', second + 2), second: second + 2, isOfFloor: true },
      { id: idOf('at 3', second + 3), second: second + 3, isOfFloor: false },
    ])
  })
})

describe('a record of the page', () => {
  it('is counted under one heading only, whatever becomes of it', async () => {
    const refusesOne: Enqueue = async events => ({
      recorded: events.filter(({ recordId }) => recordId !== 'refused'),
      refused: events
        .filter(({ recordId }) => recordId === 'refused')
        .map(event => ({ event, reason: 'too_large' })),
      failed: [],
    })
    const { intake, known } = createIntakeHarness({ enqueue: refusesOne })
    known.remember([idOf('known'), idOf('old and known', second - 50)])
    const page: ReadPage = {
      ...pageApart('one', 'two', 'three'),
      records: [
        recordOf('before the floor', second - 90),
        recordOf('old', second - 50),
        recordOf('old and known', second - 50),
        ...['known', 'new', 'refused', 'new too', 'new as well'].map(uuid => recordOf(uuid)),
      ],
    }
    const at = { floorSecond: second - 60, memoryFromSecond: second - 10 }
    expect(await intake(page, at)).toEqual({
      counts: { read: 11, enqueued: 3, known: 2, quarantined: 4, beforeFloor: 1, beyondMemory: 1 },
      failure: null,
    })
  })

  it('that fails is told with the first reason, is not known, and is handed on again with the next reading', async () => {
    const failsTwo: Enqueue = async ([one, ...others]) => ({
      recorded: one === undefined ? [] : [one],
      refused: [],
      failed: others.map((event, at) => ({ event, reason: `reason ${at}` })),
    })
    const { intake, uuids } = createIntakeHarness({ enqueue: failsTwo })
    const page = pageOf(...['a', 'b', 'c'].map(uuid => recordOf(uuid)))
    const failed = await intake(page, rules)
    expect(failed).toEqual({ counts: { ...noCounts, read: 3, enqueued: 1 }, failure: 'reason 0' })
    const again = await intake(page, rules)
    expect(again).toEqual({ counts: { ...noCounts, read: 3, known: 1, enqueued: 1 }, failure: 'reason 0' })
    expect(uuids()).toEqual([
      ['a', 'b', 'c'],
      ['b', 'c'],
    ])
  })

  it('that the queue will never take is kept in quarantine with the reason, and is known from then on', async () => {
    const refusesLast: Enqueue = async events => ({
      recorded: events.slice(0, -1),
      refused: events.slice(-1).map(event => ({ event, reason: 'too_large' })),
      failed: [],
    })
    const { intake, kept, uuids } = createIntakeHarness({ enqueue: refusesLast })
    const page = pageOf(...['a', 'b'].map(uuid => recordOf(uuid)))
    expect((await intake(page, rules)).counts).toEqual({ ...noCounts, read: 2, enqueued: 1, quarantined: 1 })
    expect(kept.map(({ text, reason }) => [text, reason])).toEqual([
      [recordOf('b').raw.text, 'queue_refused: too_large'],
    ])
    expect((await intake(page, rules)).counts).toEqual({ ...noCounts, read: 2, known: 2 })
    expect(uuids()).toEqual([['a', 'b']])
  })

  it('whose event fits no message is kept in quarantine, and holds up no other', async () => {
    const { intake, kept, uuids } = createIntakeHarness()
    /** A record whose event has so many bytes: blanks after it change nothing of its sense. */
    const ofBytes = (uuid: string, bytes: number): FeedbackRecord => {
      const record = recordOf(uuid)
      const { bodyBytes } = buildEvent({ source: { id: of.sourceId }, stream: of.stream, record })
      const text = record.raw.text + ' '.repeat(bytes - bodyBytes)
      return { ...record, raw: { ...record.raw, text } }
    }
    const [fits, tooLarge] = [ofBytes('fits', eventBodyBytesMax), ofBytes('large', eventBodyBytesMax + 1)]
    const { counts } = await intake(pageOf(tooLarge, fits), rules)
    expect(counts).toEqual({ ...noCounts, read: 2, enqueued: 1, quarantined: 1 })
    // Its place in the order was seen before: a walk goes by that.
    expect((await intake(pageOf(tooLarge), rules)).counts).toEqual({ ...noCounts, read: 1, known: 1 })
    expect(uuids()).toEqual([['fits']])
    expect(kept.map(({ hash, reason }) => [hash, reason])).toEqual([[rawHash(tooLarge.raw), 'too_large']])
  })
})

describe('what the log remembers', () => {
  it('goes back thirty-four days, one less than an event lives', () => {
    expect(memoryFrom(second)).toBe(second - 34 * 86_400)
  })
})
