import { expect, test } from 'vitest'
import {
  type Pace,
  paceAfter,
  quickAnswersToBeFast,
  slowAfterMs,
} from '../../../shared/domain/delivery/lane-policy.ts'
import type { SendResult } from '../../../shared/domain/delivery/webhook-sender.ts'
import { answered } from './harness.ts'

const fast: Pace = { slow: false, quickAnswers: 0 }
const slow: Pace = { slow: true, quickAnswers: 0 }
const after = (pace: Pace, results: readonly SendResult[]): Pace => results.reduce(paceAfter, pace)
const times = (count: number, result: SendResult): SendResult[] => Array.from({ length: count }, () => result)

test('an answer that takes over two seconds makes an endpoint slow, whatever it says', () => {
  expect(paceAfter(fast, answered(200, { tookMs: slowAfterMs }))).toEqual(fast)
  expect(paceAfter(fast, answered(200, { tookMs: slowAfterMs + 1 }))).toEqual(slow)
  expect(paceAfter(fast, answered(503, { tookMs: slowAfterMs + 1 }))).toEqual(slow)
})

test.each(['timeout', 'dns_timeout'] as const)(
  'a %s makes an endpoint slow, however short its deadline',
  reason => {
    expect(paceAfter(fast, { kind: 'failed', reason, tookMs: 100 })).toEqual(slow)
  },
)

test('a slow endpoint becomes fast after enough quick answers on end', () => {
  expect(after(slow, times(quickAnswersToBeFast - 1, answered(200)))).toMatchObject({ slow: true })
  expect(after(slow, times(quickAnswersToBeFast, answered(200)))).toEqual(fast)
})

test('a slow answer in between starts the count anew', () => {
  const almost = times(quickAnswersToBeFast - 1, answered(200))
  const results = [...almost, answered(200, { tookMs: 3_000 }), ...almost]
  expect(after(slow, results)).toEqual({ slow: true, quickAnswers: quickAnswersToBeFast - 1 })
})

test('a quick failure says nothing about speed', () => {
  const refused: SendResult = { kind: 'failed', reason: 'connection_refused', tookMs: 1 }
  expect(after(slow, times(100, refused))).toEqual(slow)
  expect(after(fast, times(100, refused))).toEqual(fast)
})
