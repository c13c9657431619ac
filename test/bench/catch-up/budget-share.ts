/** The service's window, and what of its limit of 60 the bridge allows itself (DESIGN.md, section 4). */
const windowMs = 60_000
export const budgetPerMinute = 48

/**
 * How much of the budget was used to read so many pages: the least time before the last of them may be asked for, by the
 * time that it took. 1 where all of them may be asked for at once.
 */
export const budgetShare = ({ pages, tookMs }: { pages: number; tookMs: number }): number => {
  const leastMs = Math.floor(Math.max(0, pages - 1) / budgetPerMinute) * windowMs
  return leastMs === 0 ? 1 : leastMs / tookMs
}
