/**
 * Where a delivery stands: (round, attempt). A round is a run through the retry schedule, counted from 1; an attempt
 * is one POST, counted from 1. In the table the position is that of the last attempt that was settled, so that
 * attempt 0 says: none in this round yet.
 */
export type Position = { round: number; attempt: number }

export const firstPosition: Position = { round: 1, attempt: 1 }

/** Attempts of a round are fewer than this, so that a position is one number that conditions can compare. */
export const attemptsPerRoundMax = 999

/** Each replay begins a round; with more, the position would be no number that a double holds. */
export const roundMax = 1_000_000_000

/** The position as one number that grows with it. */
export const rank = (position: Position): number =>
  position.round * (attemptsPerRoundMax + 1) + position.attempt

export const positionOfRank = (value: number): Position => ({
  round: Math.floor(value / (attemptsPerRoundMax + 1)),
  attempt: value % (attemptsPerRoundMax + 1),
})

/** The attempt after this one, in the same round. */
export const nextAttempt = (position: Position): Position => ({
  round: position.round,
  attempt: position.attempt + 1,
})

/** What is recorded when an attempt is put off without being made: it is still to come. */
export const beforeAttempt = (position: Position): Position => ({
  round: position.round,
  attempt: position.attempt - 1,
})

/** The first attempt of the next round: what a replay, or AWS's own redrive of a dead letter, starts with. */
export const nextRound = (position: Position): Position => ({ round: position.round + 1, attempt: 1 })
