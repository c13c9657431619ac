import { describe, expect, it } from 'vitest'
import { mistakes } from './mistakes.ts'
import { runSeeds } from './run-many.ts'

/** Seeds that are tried for each mistake: about as many as `npm test` tries of the bridge itself. */
const seedsMax = 300
const steps = 1_000

describe('the proof can fail', () => {
  it.each(Object.entries(mistakes))('finds the mistake %s', { timeout: 120_000 }, async (_name, mistake) => {
    const { failures } = await runSeeds({ seeds: seedsMax, firstSeed: 1, steps, mistake, failuresMax: 1 })
    expect(failures).toHaveLength(1)
  })
})
