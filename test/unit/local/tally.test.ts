import { describe, expect, test } from 'vitest'
import { createAges } from '../../../infra/local/ages.ts'
import { endLines, progressLine } from '../../../infra/local/summary-lines.ts'
import { createTally } from '../../../infra/local/tally.ts'
import { attempt, delivered, ended, enqueued, poll, waiting } from './happenings.ts'

const tallyOf = (...happenings: Parameters<ReturnType<typeof createTally>['report']>[0][]) => {
  const tally = createTally()
  for (const happening of happenings) tally.report(happening)
  return tally
}

describe('the tally', () => {
  test('counts each delivery once by where it stands now', () => {
    const { now, delivered: made } = tallyOf(
      waiting('evt_1'),
      waiting('evt_1'),
      waiting('evt_2'),
      ended('held', 'evt_3'),
      ended('dead', 'evt_2'),
      delivered('evt_1'),
      ended('cancelled', 'evt_3'),
    ).counts()
    expect(now).toEqual({ waiting: 0, held: 0, dead: 1 })
    expect(made).toBe(1)
  })

  test('what earlier starts left counts until it is settled', () => {
    const tally = createTally()
    tally.remember(
      [
        { event: 'evt_1', endpoint: 'ep_1', state: 'held' },
        { event: 'evt_2', endpoint: 'ep_1', state: 'dead' },
      ],
      false,
    )
    expect(tally.counts().now).toEqual({ waiting: 0, held: 1, dead: 1 })
    tally.report(delivered('evt_1'))
    expect(tally.counts().now).toEqual({ waiting: 0, held: 0, dead: 1 })
  })

  test('records that are read again are not counted again', () => {
    expect(tallyOf(poll({ read: 10, known: 0 }), poll({ read: 12, known: 9 })).counts().read).toBe(13)
  })

  test('shows the middle and the largest of the newest ages', () => {
    const ages = createAges()
    expect(ages.summary()).toBeNull()
    for (const ms of [9_000, 1_000, 2_000, 3_000]) ages.add(ms)
    expect(ages.summary()).toEqual({ halfMs: 2_000, maxMs: 9_000, count: 4 })
    for (let index = 0; index < 500; index += 1) ages.add(10)
    expect(ages.summary()).toEqual({ halfMs: 10, maxMs: 10, count: 500 })
  })
})

describe('lines for people', () => {
  test('how it goes is one line', () => {
    const counts = tallyOf(enqueued('evt_1', ['ep_1']), waiting('evt_2'), delivered('evt_1', 2_100)).counts()
    expect(progressLine(counts)).toBe(
      'read 0 · enqueued 1 · delivered 1 · waiting 1 · held 0 · dead 0 · age at delivery: half within 2.1 s, at most 2.1 s',
    )
  })

  test('the end says what was done and what is left', () => {
    const counts = tallyOf(attempt('evt_1', 200), delivered('evt_1'), ended('dead', 'evt_2')).counts()
    expect(endLines(counts, { tookMs: 1_500, next: 'the next start goes on with them' })).toEqual([
      'Ran for 1.5 s: 0 records read, 0 events enqueued, 1 delivery made with 1 attempt.',
      'Left: 0 waiting, 0 held, 1 dead letter; the next start goes on with them.',
    ])
  })
})
