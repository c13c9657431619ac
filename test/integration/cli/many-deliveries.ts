import type { Delivery } from '../../../shared/domain/delivery/delivery.ts'
import { deliveryOf, loggedEvent } from './filled-table.ts'

export const hour = 3_600
export const count = 1_500
export const nowSecond = Math.floor(Date.now() / 1_000)
/** After how many of them, in the order in which the command takes them, and by what it is ended. */
export const ends = [
  ['SIGKILL', 0],
  ['SIGINT', 500],
  ['SIGKILL', 900],
] as const

export const inOrder = (fields: (at: number) => Partial<Delivery>, make = deliveryOf) =>
  Array.from({ length: count }, (_, at) =>
    make(loggedEvent({ second: nowSecond - 4 * hour + at, uuid: `event-${at}` }), fields(at)),
  )

export const at = <T>(items: readonly T[], index: number): T => {
  const item = items[index]
  if (item === undefined) throw new Error(`there is none at ${index}`)
  return item
}

export const textsOf = (deliveries: readonly Delivery[]): Map<string, number> => {
  const texts = deliveries.map(
    ({ state, position, reason }) => `${state} ${position.round}.${position.attempt} ${reason}`,
  )
  return new Map([...Map.groupBy(texts, text => text)].map(([text, same]) => [text, same.length]))
}
