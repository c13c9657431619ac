import { describe, expect, it } from 'vitest'
import { runRandomWorld } from './world/random-world.ts'

/** More by `WORLDS=5000 npx vitest run test/unit/polling/random-worlds.test.ts`; a first seed by `FIRST_SEED`. */
const worlds = Number(process.env['WORLDS'] ?? 150)
const firstSeed = Number(process.env['FIRST_SEED'] ?? 1)
const worldsATest = 10
/** Of two minutes at the end, when nothing new comes: a chain of losses has at most four, and there are two streams. */
const lossesAtEndMax = 8
const msAWorldMax = 10_000

const seedsFrom = (first: number): number[] =>
  Array.from({ length: Math.min(worldsATest, firstSeed + worlds - first) }, (_, index) => first + index)
const firsts = Array.from(
  { length: Math.ceil(worlds / worldsATest) },
  (_, index) => firstSeed + index * worldsATest,
)

describe('under any reading of the field notes, with faults and crashes', () => {
  it.each(firsts)(
    'no record is lost, sent again without cause, or sent from before the floor; the budget holds: worlds from seed %i',
    async first => {
      for (const seed of seedsFrom(first)) {
        const { settings, violations, duplicates, overBudget, lossesAtEnd, requestsAtEnd, requestsAtEndMax } =
          await runRandomWorld(seed)
        expect(
          {
            violations,
            duplicates,
            overBudget,
            loops: lossesAtEnd > lossesAtEndMax || requestsAtEnd > requestsAtEndMax,
          },
          JSON.stringify({ settings, lossesAtEnd, requestsAtEnd, requestsAtEndMax }),
        ).toEqual({ violations: [], duplicates: 0, overBudget: 0, loops: false })
      }
    },
    worldsATest * msAWorldMax,
  )
})
