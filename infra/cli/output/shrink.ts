/** Takes `over` off the columns that give way, each time a character off the widest; none gets under `widthMin`. */
export const shrink = (
  widths: readonly number[],
  columns: readonly { shrinks?: boolean }[],
  of: { over: number; widthMin: number },
): number[] => {
  const shrunk = [...widths]
  for (let over = of.over; over > 0; over -= 1) {
    const widest = shrunk.reduce((best, width, at) => {
      const gives = columns[at]?.shrinks === true && width > of.widthMin
      return gives && width > (shrunk[best] ?? 0) ? at : best
    }, -1)
    const width = shrunk[widest]
    if (width === undefined) return shrunk
    shrunk[widest] = width - 1
  }
  return shrunk
}
