/** Randomness that a seed repeats. */
export type Dice = {
  /** At least 0 and below 1. */
  next(): number
  /** A whole number, both bounds included. */
  int(min: number, max: number): number
  chance(share: number): boolean
  pick<T>(of: readonly [T, ...T[]]): T
}

/** Mulberry32: 32 bits of state, good enough to throw dice. */
export const createDice = (seed: number): Dice => {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    next,
    int: (min, max) => min + Math.floor(next() * (max - min + 1)),
    chance: share => next() < share,
    pick: of => of[Math.floor(next() * of.length)] ?? of[0],
  }
}
