import { expect, it } from 'vitest'
import { runEveryMinutes } from '../../../shared/domain/polling/run-schedule.ts'

it.each([
  [1, 1],
  [5, 1],
  [60, 1],
  [119, 1],
  [120, 2],
  [300, 5],
  [3_600, 60],
])('polls every %i s need a run every %i min', (seconds, minutes) => {
  expect(runEveryMinutes(seconds)).toBe(minutes)
})
