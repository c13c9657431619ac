import { describe, expect, it } from 'vitest'
import { rawHash } from '../../../shared/domain/feedback/read-record.ts'
import { noCounts } from '../../../shared/domain/polling/intake.ts'
import { nowMs } from '../delivery/harness.ts'
import { createIntakeHarness, of, pageApart, rules, unreadable } from './intake-harness.ts'

describe('the quarantine', () => {
  it('keeps the text under its hash, and it is told once', async () => {
    const { intake, kept, happenings } = createIntakeHarness()
    const counts = { ...noCounts, read: 1, quarantined: 1 }
    expect(await intake(pageApart('text'), rules)).toEqual({ counts, failure: null })
    const hash = rawHash(unreadable('text'))
    expect(kept).toEqual([{ ...of, hash, text: 'text', reason: 'no_uuid', atMs: nowMs }])
    expect(happenings).toEqual([
      { kind: 'quarantined', source: 'main', stream: 'bounces', hash, reason: 'no_uuid' },
    ])
  })

  it('is asked once of what is shown again and again', async () => {
    const { intake, kept, happenings } = createIntakeHarness()
    await intake(pageApart('a', 'b', 'a'), rules)
    const { counts } = await intake(pageApart('a', 'b'), rules)
    expect(counts).toEqual({ ...noCounts, read: 2 })
    expect(kept.map(({ text }) => text)).toEqual(['a', 'b'])
    expect(happenings).toHaveLength(2)
  })

  it('knows what another process kept: that is neither counted nor told, nor asked again', async () => {
    const { intake, quarantine, kept, happenings } = createIntakeHarness()
    const hash = rawHash(unreadable('text'))
    await quarantine.keep({ ...of, hash, text: 'text', reason: 'no_uuid', atMs: nowMs - 5 })
    for (const _ of [1, 2]) {
      expect((await intake(pageApart('text'), rules)).counts).toEqual({ ...noCounts, read: 1 })
    }
    expect(kept).toHaveLength(1)
    expect(happenings).toEqual([])
  })

  it('is remembered up to ten thousand records, and with one more from the start: no record is counted twice', async () => {
    const { intake, kept } = createIntakeHarness()
    const texts = Array.from({ length: 10_000 }, (_, at) => `text ${at}`)
    await intake(pageApart(...texts), rules)
    await intake(pageApart('text 0'), rules)
    expect(kept).toHaveLength(10_000)
    const { counts } = await intake(pageApart('one more', 'text 0', 'one more'), rules)
    expect(counts).toEqual({ ...noCounts, read: 3, quarantined: 1 })
    expect(kept.slice(10_000).map(({ text }) => text)).toEqual(['one more', 'text 0'])
  })
})
