import { describe, expect, test } from 'vitest'
import { budgetStanding, streamStanding } from '../../../../infra/cli/status/stream-standing.ts'
import { type Cursor, emptyCursor } from '../../../../shared/domain/polling/cursor.ts'
import { beginWalk } from '../../../../shared/domain/polling/walk-state.ts'

const nowMs = 1_795_132_800_000
const minuteMs = 60_000
const source = { state: 'active', overlapSeconds: 120, pollEverySeconds: 5 } as const
const run = { takenAtMs: nowMs - 30_000, firstTakenAtMs: nowMs - 60 * minuteMs, spending: undefined }
const readAt = (agoMs: number | null): Cursor => ({
  ...emptyCursor,
  lastCompleteWalkAtMs: agoMs === null ? null : nowMs - agoMs,
})
const walk = beginWalk({ from: null, newestSecond: null, stopSecond: null })
const recordAt = (agoSeconds: number) => ({ uuid: 'u', second: nowMs / 1_000 - agoSeconds })

describe('how a stream stands', () => {
  test('is well while complete walks are told as often as they are written', () => {
    const cursor = readAt(2 * minuteMs)
    expect(streamStanding({ source, cursor, run, nowMs })).toEqual({
      state: 'ok',
      lastCompleteWalkAtMs: nowMs - 2 * minuteMs,
      lagMs: 2 * minuteMs,
      failingSinceMs: null,
    })
  })

  test('fails since the last complete walk, or since the first run where there never was one', () => {
    expect(streamStanding({ source, cursor: readAt(10 * minuteMs), run, nowMs })).toMatchObject({
      state: 'failing',
      failingSinceMs: nowMs - 10 * minuteMs,
    })
    for (const cursor of [null, readAt(null)]) {
      expect(streamStanding({ source, cursor, run, nowMs })).toEqual({
        state: 'failing',
        lastCompleteWalkAtMs: null,
        lagMs: null,
        failingSinceMs: run.firstTakenAtMs,
      })
    }
  })

  test('is behind where a walk is under way, by as much as the newest record that it has come to', () => {
    const place = { ...walk, newest: recordAt(3_600) }
    const cursor = { ...readAt(10 * minuteMs), place, anchor: recordAt(7_200) }
    const behind = { state: 'behind', failingSinceMs: null }
    expect(streamStanding({ source, cursor, run, nowMs })).toMatchObject({ ...behind, lagMs: 3_600_000 })
    const unordered = { ...cursor, place: { ...place, orderIgnored: true } }
    expect(streamStanding({ source, cursor: unordered, run, nowMs })).toMatchObject({
      ...behind,
      lagMs: 7_200_000,
    })
  })

  test('is stopped where no run began for three minutes, whatever the cursor says', () => {
    const cursor = readAt(5 * minuteMs)
    const late = { ...run, takenAtMs: nowMs - 4 * minuteMs }
    expect(streamStanding({ source, cursor, run: late, nowMs })).toMatchObject({
      state: 'stopped',
      failingSinceMs: nowMs - 4 * minuteMs,
    })
  })

  test('is neither where it is paused, or was never polled', () => {
    const late = { ...run, takenAtMs: nowMs - 60 * minuteMs }
    const paused = { ...source, state: 'paused' } as const
    expect(streamStanding({ source: paused, cursor: readAt(60 * minuteMs), run: late, nowMs }).state).toBe(
      'paused',
    )
    expect(streamStanding({ source, cursor: null, run: null, nowMs }).state).toBe('new')
  })
})

describe('what is left of a budget', () => {
  const requestsPerMinute = 60

  test('is what the last run left, with what has become free since', () => {
    const spending = {
      limit: 60,
      notBeforeMs: 0,
      spent: [
        [nowMs - 90_000, 7, 0, 0],
        [nowMs - 20_000, 8, 1, 1],
      ],
    }
    expect(budgetStanding({ requestsPerMinute }, { ...run, spending }, nowMs)).toEqual({
      left: 38,
      of: 48,
      notBeforeMs: null,
    })
  })

  test('is nothing while the service has us wait, and less where it lowers the limit', () => {
    const spending = { limit: 10, notBeforeMs: nowMs + 5_000, spent: [] }
    expect(budgetStanding({ requestsPerMinute }, { ...run, spending }, nowMs)).toEqual({
      left: 0,
      of: 8,
      notBeforeMs: nowMs + 5_000,
    })
  })

  test('is unknown before the first run, and whole where the run left nothing that can be read', () => {
    expect(budgetStanding({ requestsPerMinute }, null, nowMs)).toBeNull()
    expect(budgetStanding({ requestsPerMinute }, { ...run, spending: 'x' }, nowMs)).toEqual({
      left: 48,
      of: 48,
      notBeforeMs: null,
    })
  })
})
