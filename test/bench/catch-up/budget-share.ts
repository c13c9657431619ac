/** The service's window, and what of its limit of 60 the bridge allows itself (DESIGN.md, section 4). */
const windowMs = 60_000
export const budgetPerMinute = 48

/**
 * Of the requests that the whole minutes of a backlog allow, those that brought a page of it. `atMs`: when each record was
 * read. What came after the last whole minute says nothing: its budget would have reached for more.
 */
export const wholeMinutesShare = (
  atMs: readonly number[],
  of: { firstAtMs: number; pageSize: number },
): number => {
  const minutes = Math.floor(((atMs.at(-1) ?? of.firstAtMs) - of.firstAtMs) / windowMs)
  if (minutes < 1) return Number.NaN
  const read = atMs.filter(at => at < of.firstAtMs + minutes * windowMs).length
  return read / of.pageSize / (minutes * budgetPerMinute)
}

/**
 * How much of the budget was used to read so many pages: the least time before the last of them may be asked for, by the
 * time that it took. 1 where all of them may be asked for at once.
 */
export const budgetShare = ({ pages, tookMs }: { pages: number; tookMs: number }): number => {
  const leastMs = Math.floor(Math.max(0, pages - 1) / budgetPerMinute) * windowMs
  return leastMs === 0 ? 1 : leastMs / tookMs
}
