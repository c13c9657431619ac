import { type Case, pathOf, type Suite, takeFinished } from './stand-in.ts'

export type Failure = { error: unknown }

/** Runs a test with its hooks; `entered` are the suites whose own hooks have run. */
export const failureOf = async (one: Case, entered: Set<Suite>): Promise<Failure | null> => {
  const path = pathOf(one.suite)
  const ends: (() => unknown)[] = []
  let failure: Failure | null = null
  const tried = async (hook: () => unknown): Promise<unknown> => {
    try {
      return await hook()
    } catch (error) {
      failure ??= { error }
      return undefined
    }
  }
  for (const suite of path) {
    if (entered.has(suite)) continue
    entered.add(suite)
    for (const hook of suite.beforeAll) await tried(hook)
  }
  for (const hook of path.flatMap(suite => suite.beforeEach)) {
    const end = await tried(hook)
    if (typeof end === 'function') ends.unshift(() => end())
  }
  if (failure === null) await tried(one.run)
  for (const hook of path.toReversed().flatMap(suite => suite.afterEach)) await tried(hook)
  for (const hook of [...ends, ...takeFinished()]) await tried(hook)
  return failure
}
