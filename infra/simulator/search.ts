/** The first index in [from, to) for which `holds` is true, or `to`; from there on it must stay true. */
export const firstIndex = (from: number, to: number, holds: (index: number) => boolean): number => {
  let low = from
  let high = to
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}

/** How many of the ascending numbers are below `limit`. */
export const countBelow = (ascending: readonly number[], limit: number): number =>
  firstIndex(0, ascending.length, at => (ascending[at] ?? Number.POSITIVE_INFINITY) >= limit)
