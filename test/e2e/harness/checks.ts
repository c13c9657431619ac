import { expect } from 'vitest'
import type { Bridge } from './bridge.ts'
import type { Receiver } from './receiver.ts'

/** Each of these ids arrived, nothing else did, and nothing twice. */
export const expectExactly = (receiver: Receiver, ids: readonly string[]): void => {
  expect(duplicatesOf(receiver)).toEqual([])
  expect(receiver.ids()).toEqual([...ids].sort())
}

/** The ids that came more than once, each once. */
export const duplicatesOf = (receiver: Receiver): string[] => {
  const ids = receiver.ids()
  return [...new Set(ids.filter((id, at) => ids.indexOf(id) !== at))]
}

/** What `--json` says agrees with what arrived: one line each, of the right endpoint, and no duplicate. */
export const expectLinesMatch = (bridge: Bridge, receivers: readonly Receiver[]): void => {
  for (const receiver of receivers) {
    const told = (kind: 'enqueued' | 'attempt' | 'delivered') =>
      bridge
        .of(kind)
        .filter(({ endpoint }) => endpoint === receiver.id)
        .map(({ event }) => event)
        .sort()
    const distinct = [...new Set(receiver.ids())]
    expect(told('enqueued')).toEqual(distinct)
    expect(told('delivered')).toEqual(distinct)
    expect(told('attempt')).toEqual(receiver.ids())
  }
  expect(bridge.of('duplicate')).toEqual([])
}

/** So many complete walks of these kinds that began after the lines seen so far, of both streams. */
export const completeWalks = (
  bridge: Bridge,
  walk: 'news' | 'overlap',
  since = 0,
): { bounces: number; complaints: number } => {
  const polls = bridge
    .polls()
    .slice(since)
    .filter(poll => poll.walk === walk && poll.outcome === 'complete')
  const count = (stream: string) => polls.filter(poll => poll.stream === stream).length
  return { bounces: count('bounces'), complaints: count('complaints') }
}
