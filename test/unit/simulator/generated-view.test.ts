import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createGeneratedView } from '../../../infra/simulator/generated-view.ts'
import { createRecordGenerator } from '../../../infra/simulator/record-generator.ts'
import { createSchedule } from '../../../infra/simulator/schedule.ts'
import { toTemplate } from '../../../infra/simulator/templates.ts'
import { sampleRows, startMs, startSecond } from './simulator-fixtures.ts'

const total = 150

const anyCase = fc.record({
  seed: fc.nat(),
  backlog: fc.nat(100),
  ratePerSecond: fc.constantFrom(0.5, 5, 3000),
  ties: fc.integer({ min: 1, max: 9 }),
  lateMs: fc.constantFrom(0, 6000),
  lagMs: fc.constantFrom(0, 1700),
  passedMs: fc.oneof(fc.integer({ min: -10_000, max: 30_000 }), fc.nat(50)),
  kept: fc.option(fc.integer({ min: 1, max: 30 })),
  includeSoft: fc.boolean(),
  removed: fc.uniqueArray(fc.nat(total - 1), { maxLength: 10 }),
})

it('the view of generated records is what filtering them one by one gives', () => {
  fc.assert(
    fc.property(
      anyCase,
      ({ seed, backlog, ratePerSecond, ties, lateMs, lagMs, passedMs, kept, includeSoft, removed }) => {
        const schedule = createSchedule({
          seed,
          startMs,
          backlog,
          backlogSpanMs: 20_000,
          live: total - backlog,
          ratePerSecond,
          ties,
          lagMs,
          lateMs,
          lateShare: 0.3,
        })
        const templates = sampleRows.slice(0, 4).map(toTemplate)
        const generator = createRecordGenerator({ stream: 'bounces', seed, templates, schedule, own: false })
        const nowMs = startMs + passedMs
        const oldestSecond = kept === null ? null : Math.floor(nowMs / 1000) - kept
        const ascending = removed.sort((left, right) => left - right)
        const view = createGeneratedView(generator, ascending, { nowMs, includeSoft, oldestSecond })

        const all = Array.from({ length: total }, (_, index) => index)
        const listed = all.filter(
          index =>
            schedule.visibleAtMs(index) <= nowMs &&
            schedule.secondOf(index) >= (oldestSecond ?? 0) &&
            (includeSoft || generator.templateOf(index).hard) &&
            !removed.includes(index),
        )
        expect(view.count).toBe(listed.length)
        expect(view.indexesFrom(0, total)).toEqual(listed)
        for (const rank of [1, 7, listed.length - 1]) {
          if (rank >= 0) expect(view.indexesFrom(rank, 5)).toEqual(listed.slice(rank, rank + 5))
        }
        for (const index of [0, 1, 50, total - 1]) {
          expect(view.countBefore(index)).toBe(listed.filter(other => other < index).length)
        }
        const before = view.countBefore(view.firstFromSecond(startSecond))
        expect(before).toBe(listed.filter(index => schedule.secondOf(index) < startSecond).length)
      },
    ),
    { numRuns: 500 },
  )
})
