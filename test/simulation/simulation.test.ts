import { describe, expect, it } from 'vitest'
import { failureText, runSeeds, summaryLine } from './run-many.ts'
import { simulate } from './simulate.ts'

const seeds = 250
const steps = 1_000
/** Twenty seconds on a quiet machine; many times that on one that is busy. */
const timeoutMs = 300_000

describe('the bridge as a whole, simulated with everything that may go wrong', () => {
  it('loses nothing, strands nothing, and sends nothing again without a reason', {
    timeout: timeoutMs,
  }, async () => {
    const summary = await runSeeds({ seeds, firstSeed: 1, steps })
    console.info(summaryLine(summary))
    expect(summary.failures.map(failure => failureText(failure, steps))).toEqual([])
    expect(summary.seeds).toBe(seeds)
    // What never happened proves nothing.
    expect(summary.faults.size).toBeGreaterThanOrEqual(16)
    expect(summary.faults.get('send_refused') ?? 0).toBeGreaterThan(0)
    expect(summary.lines).toBeGreaterThan(10 * seeds)
    expect(summary.doubles.size).toBeGreaterThanOrEqual(6)
  })

  it('is the same run for the same seed, byte for byte', { timeout: timeoutMs }, async () => {
    for (const seed of [3, 14, 159, 265]) {
      const one = await simulate({ seed, steps, keepsTrace: true })
      const other = await simulate({ seed, steps, keepsTrace: true })
      expect(one.allLines.join('\n')).toBe(other.allLines.join('\n'))
      expect(one.hash).toBe(other.hash)
      expect(one.steps).toBe(other.steps)
    }
  })

  it('is another run for another seed', async () => {
    const one = await simulate({ seed: 1, steps: 200 })
    const other = await simulate({ seed: 2, steps: 200 })
    expect(one.hash).not.toBe(other.hash)
  })
})
