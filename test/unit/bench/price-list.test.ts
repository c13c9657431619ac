import { describe, expect, it } from 'vitest'
import { sqsRequestsOf } from '../../bench/price/message-units.ts'
import { gigabyte, logsAndStorage, requestsAndCompute } from '../../bench/price/price-list.ts'
import { minus, noUsage, plus, times } from '../../bench/price/usage.ts'

const message = (bytes: number) => ({ MessageBody: 'x'.repeat(bytes), MessageAttributes: {} })

describe('requests of SQS', () => {
  it('are one for a batch, and one more for each further 64 KiB in it', () => {
    expect(sqsRequestsOf([])).toBe(1)
    expect(sqsRequestsOf(Array.from({ length: 10 }, () => message(6_553)))).toBe(1)
    expect(sqsRequestsOf(Array.from({ length: 10 }, () => message(6_554)))).toBe(2)
  })

  it('count a message with its attributes', () => {
    const attributes = { ab: { DataType: 'String', StringValue: 'cd' } }
    expect(sqsRequestsOf([{ MessageBody: 'x'.repeat(65_526), MessageAttributes: attributes }])).toBe(1)
    expect(sqsRequestsOf([{ MessageBody: 'x'.repeat(65_527), MessageAttributes: attributes }])).toBe(2)
  })
})

describe('the price of what was used', () => {
  it('is that of the list for a million of each', () => {
    const million = 1_000_000
    const priced = requestsAndCompute({
      ...noUsage,
      sqsRequests: million,
      sqsFairRequests: million,
      writeUnits: million,
      readUnits: million,
      invocations: million,
      gbSeconds: million,
      secretReads: 10_000,
      scheduled: million,
    })
    expect(priced.sqs).toBeCloseTo(0.5)
    expect(priced.writes).toBeCloseTo(0.625)
    expect(priced.reads).toBeCloseTo(0.125)
    expect(priced.lambda).toBeCloseTo(13.5334)
    expect(priced.secrets).toBeCloseTo(0.05)
    expect(priced.schedules).toBeCloseTo(1)
    expect(priced.usd).toBeCloseTo(15.8334)
  })

  it('keeps logs and storage apart, for as long as they are kept', () => {
    const usage = { ...noUsage, logBytes: gigabyte, tableBytes: 2 * gigabyte }
    expect(requestsAndCompute(usage).usd).toBe(0)
    const priced = logsAndStorage(usage, { logMonths: 1, itemMonths: 1.5 })
    expect(priced.logs).toBeCloseTo(0.5)
    expect(priced.keptLogs).toBeCloseTo(0.0045)
    expect(priced.table).toBeCloseTo(1.35)
    expect(priced.usd).toBeCloseTo(1.8545)
  })
})

describe('usage', () => {
  it('is added, taken away and multiplied unit by unit', () => {
    const one = { ...noUsage, writeUnits: 2, calls: 3 }
    expect(minus(plus(one, one, times(one, 0.5)), one)).toEqual({ ...noUsage, writeUnits: 3, calls: 4.5 })
  })
})
