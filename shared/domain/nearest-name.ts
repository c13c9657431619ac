/** Farther off than this, a name is another word and not a slip of the keyboard. */
const editsMax = 3

/** The name that takes the fewest edits to become of `typed`; null where none is near. */
export const nearestName = (typed: string, names: readonly string[]): string | null => {
  const near = names
    .map(name => ({ name, edits: editsBetween(typed.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, edits }) => edits <= editsMax && edits < name.length / 2)
    .sort((a, b) => a.edits - b.edits)
  return near[0]?.name ?? null
}

/** Letters to put in, take out or change (Levenshtein's distance), row by row. */
const editsBetween = (from: string, to: string): number => {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at)
  for (const [at, letter] of [...from].entries()) {
    const next = [at + 1]
    for (const [column, other] of [...to].entries()) {
      const put = (next[column] ?? 0) + 1
      const taken = (row[column + 1] ?? 0) + 1
      const changed = (row[column] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(put, taken, changed))
    }
    row = next
  }
  return row[to.length] ?? 0
}
