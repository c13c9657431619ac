import type { DeliveryStore } from '../../../shared/domain/delivery/delivery-store.ts'

/** Until nothing goes on by itself. */
const quiet = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

/** Who calls a dependency waits here for its turn. */
export type Turns = { wait(who: string): Promise<void> }

/** A store whose every call waits for its turn: between two calls, others may do theirs. */
export const inTurn = (store: DeliveryStore, who: string, { wait }: Turns): DeliveryStore => ({
  readMany: async keys => {
    await wait(who)
    return store.readMany(keys)
  },
  read: async key => {
    await wait(who)
    return store.read(key)
  },
  write: async (delivery, condition) => {
    await wait(who)
    return store.write(delivery, condition)
  },
  moveDue: async (entry, toDueMs) => {
    await wait(who)
    return store.moveDue(entry, toDueMs)
  },
  due: query => store.due(query),
  eventIds: query => store.eventIds(query),
})

/**
 * Runs the same programs in every order that their calls can come in. `begin` starts them anew and gives back what is to be
 * done when all have ended. Says how many orders there were.
 */
export const inEveryOrder = async (
  begin: (turns: Turns) => Promise<{ programs: readonly Promise<unknown>[]; check: () => Promise<void> }>,
): Promise<number> => {
  let orders = 0
  let choices: number[] | null = []
  while (choices !== null) {
    orders += 1
    choices = await runOnce(begin, choices)
  }
  return orders
}

/** One order; the choices of the next one, or null where this was the last. */
const runOnce = async (
  begin: Parameters<typeof inEveryOrder>[0],
  choices: readonly number[],
): Promise<number[] | null> => {
  const waiting = new Map<string, (() => void)[]>()
  const wait = (who: string): Promise<void> =>
    new Promise(resolve => void waiting.set(who, [...(waiting.get(who) ?? []), resolve]))
  const { programs, check } = await begin({ wait })
  const made: { choice: number; options: number }[] = []
  for (;;) {
    await quiet()
    const names = [...waiting.keys()].toSorted()
    if (names.length === 0) break
    const choice = choices[made.length] ?? 0
    const name = names[choice] ?? ''
    const [go, ...rest] = waiting.get(name) ?? []
    if (rest.length === 0) waiting.delete(name)
    else waiting.set(name, rest)
    made.push({ choice, options: names.length })
    go?.()
  }
  await Promise.all(programs)
  await check()
  const last = made.findLastIndex(({ choice, options }) => choice + 1 < options)
  if (last === -1) return null
  return [...made.slice(0, last).map(({ choice }) => choice), (made[last]?.choice ?? 0) + 1]
}
