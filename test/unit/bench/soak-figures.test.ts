import { expect, it } from 'vitest'
import { figuresOf } from '../../bench/soak/figures.ts'
import type { Sample } from '../../bench/soak/samples.ts'

const sample = (minute: number, heapMb: number): Sample => ({
  ...{ atMs: minute * 60_000, heapMb, externalMb: 1, anonymousMb: 2, residentMb: 3 },
  ...{ sockets: 4, files: 5, handles: 6, threads: 7 },
})

it('a soak tells what is missing and what was sent twice, and takes the known records out of the heap', () => {
  const records = 60_000
  // A megabyte for each 10,000 records or so, as the memory of what is known takes.
  const samples = Array.from({ length: 60 }, (_, minute) => ({
    bridge: sample(minute, 40),
    emulators: sample(minute, 20 + minute),
    arrived: minute * 1_000,
  }))
  const figures = figuresOf(samples, {
    ...{ records, requests: 100, faultShare: 0.1 },
    endpoints: {
      good: { posts: records, failed: 0, distinct: records },
      failing: { posts: records + 9, failed: 6, distinct: records - 1 },
    },
  })
  expect(figures).toMatchObject({
    'records missing at an endpoint': 1,
    'POSTs of what had been taken': 4,
    'POSTs that failed, share': 6 / (2 * records + 9),
    'the bridge alone': { 'heap, MB': { perHour: 0 }, sockets: { firstThird: 4, lastThird: 4 } },
    'its emulators': { 'heap, MB': { perHour: expect.closeTo(60, 6) } },
  })
  const bytes = figures['bytes of a known record']
  if (typeof bytes !== 'number') throw new Error('no bytes')
  // A string of 26 characters, and its place in a set.
  expect(bytes).toBeGreaterThan(40)
  expect(bytes).toBeLessThan(200)
  expect(figures['the bridge alone']).toMatchObject({
    'heap less known records, MB': { perHour: expect.closeTo((-60_000 * bytes) / 1024 / 1024, 6) },
  })
})
