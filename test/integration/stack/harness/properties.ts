/**
 * Parts what an emulator takes from what it can't. Throws for a property that is in neither list, and for a listed
 * one that the template lacks: so that nothing in the template goes untested unseen, and nothing listed is gone.
 */
export const partProperties = (
  of: { id: string; properties: Readonly<Record<string, unknown>> },
  lists: {
    taken: readonly string[]
    takenWhereThere?: readonly string[]
    notTaken: readonly string[]
    notTakenWhereThere?: readonly string[]
  },
): { taken: Record<string, unknown>; notTaken: Record<string, unknown> } => {
  const taken = [...lists.taken, ...(lists.takenWhereThere ?? [])]
  const notTaken = [...lists.notTaken, ...(lists.notTakenWhereThere ?? [])]
  const names = Object.keys(of.properties)
  const unknown = names.filter(name => !taken.includes(name) && !notTaken.includes(name))
  const missing = [...lists.taken, ...lists.notTaken].filter(name => !names.includes(name))
  if (unknown.length > 0) throw new Error(`${of.id}: no list of the harness has ${unknown.join(', ')}`)
  if (missing.length > 0) throw new Error(`${of.id}: the template lacks ${missing.join(', ')}`)
  const only = (list: readonly string[]) =>
    Object.fromEntries(Object.entries(of.properties).filter(([name]) => list.includes(name)))
  return { taken: only(taken), notTaken: only(notTaken) }
}
