import type { Dice } from '../../unit/polling/world/dice.ts'

const middle = 0.5

/**
 * Dice that fall the same however often they are thrown: what a run with a crash has and the run without it has not is
 * the crash's doing, and not that of dice thrown in another order. All takes as long as it takes on the average.
 */
export const createEvenDice = (): Dice => ({
  next: () => middle,
  int: (min, max) => min + Math.floor(middle * (max - min + 1)),
  chance: share => middle < share,
  pick: of => of[Math.floor(middle * of.length)] ?? of[0],
})
