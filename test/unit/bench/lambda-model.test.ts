import { describe, expect, it } from 'vitest'
import {
  batchGbSeconds,
  logBytesOf,
  longRunGbSeconds,
  shortRunGbSeconds,
} from '../../bench/price/lambda-model.ts'

describe('what Lambda bills, by the model', () => {
  it('is a quarter of a GB-second for each second at 256 MB', () => {
    expect(longRunGbSeconds(60)).toBe(15)
  })

  it('is for a batch the answer of the endpoint, two of the table, and the processor time at its share', () => {
    // 200 + 2 × 10 ms, and 10 ms of a whole processor at 256 of 1,769 MB.
    expect(batchGbSeconds(10)).toBeCloseTo(((220 + (10 * 1_769) / 256) / 1_000) * 0.25, 9)
  })

  it('is for a short run each call after the other', () => {
    expect(shortRunGbSeconds({ awsCalls: 10, serviceCalls: 2 })).toBeCloseTo(
      ((100 + 600 + (5 * 1_769) / 256) / 1_000) * 0.25,
      9,
    )
  })
})

it('a line of a log is billed with 26 bytes more, and by its bytes', () => {
  expect(logBytesOf(['abc', 'é'])).toBe(3 + 26 + 2 + 26)
})
