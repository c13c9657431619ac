import type { DeliveryKey } from '../../../shared/domain/delivery/delivery.ts'
import { type DeliveryMessage, decodeMessage } from '../../../shared/domain/delivery/delivery-message.ts'
import { type DeliveryStore, deliveriesReadMax } from '../../../shared/domain/delivery/delivery-store.ts'
import type { EndpointStore } from '../../../shared/domain/endpoint/endpoint-store.ts'
import type { CursorStore } from '../../../shared/domain/polling/cursor.ts'
import { call } from '../engine/call.ts'
import type { FaultKind } from '../engine/faults.ts'
import type { Process } from '../engine/process.ts'
import { causeOf } from '../rules/story.ts'
import { nameOfCursor, nameOfDelivery } from '../twins/table.ts'
import type { World } from './world.ts'

/** How a call is called, perhaps by what it is about. */
type Named<A extends unknown[]> = string | ((...args: A) => string)
const nameOf = <A extends unknown[]>(name: Named<A>, args: A): string =>
  typeof name === 'string' ? name : name(...args)

/** A port whose every call is a step of this process. */
export type Port = {
  read: <A extends unknown[], R>(
    name: Named<A>,
    does: (...args: A) => Promise<R>,
  ) => (...args: A) => Promise<R>
  /** `repeat`: what the same request does and answers when the SDK sends it again; by default the same once more. */
  write: <A extends unknown[], R>(
    name: Named<A>,
    does: (...args: A) => Promise<R>,
    of?: {
      repeat?: (first: R, ...args: A) => Promise<R>
      about?: (...args: A) => readonly DeliveryKey[]
    },
  ) => (...args: A) => Promise<R>
}

export const createPort = (world: World, process: Process): Port => {
  const { scheduler, ledger } = world
  const by = <R>(does: () => Promise<R>): Promise<R> => {
    ledger.actor = process
    return does()
  }
  return {
    read:
      (name, does) =>
      (...args) =>
        call(scheduler, process, {
          name: nameOf(name, args),
          apply: () => by(() => does(...args)),
          repeat: null,
        }),
    write:
      (name, does, of = {}) =>
      (...args) =>
        call(scheduler, process, {
          name: nameOf(name, args),
          apply: () => by(() => does(...args)),
          repeat: first => by(() => (of.repeat ? of.repeat(first, ...args) : does(...args))),
          onFault: kind => noteFault(world, kind, of.about?.(...args) ?? []),
        }),
  }
}

/** One for each page that is sent; a run that stood still has some of before. */
const listingsKept = 60

/** What went wrong on the way of a delivery, and may make a second message of it, or a second POST. */
export const noteFault = ({ ledger }: World, kind: FaultKind, about: readonly DeliveryKey[]): void => {
  const cause = causeOf(kind)
  if (cause === null) return
  for (const key of about) ledger.storyOf(key).causes.add(cause)
}

export const deliveryStoreOf = (world: World, process: Process): DeliveryStore => {
  const { table, scheduler } = world
  const port = createPort(world, process)
  const { store } = table
  const noteRead = (key: DeliveryKey): void => {
    const hand = process.inHand.get(nameOfDelivery(key))
    if (hand === undefined) return
    const delivery = table.seen.deliveries.get(nameOfDelivery(key))
    hand.read = {
      step: scheduler.steps,
      state: delivery?.state ?? null,
      round: delivery?.position.round ?? 0,
    }
  }
  return {
    readMany: port.read('readMany', keys => {
      // Invariant 9.
      if (keys.length > deliveriesReadMax) scheduler.violate(`9: ${keys.length} deliveries were read at once`)
      for (const key of keys) noteRead(key)
      return store.readMany(keys)
    }),
    read: port.read('read', key => {
      noteRead(key)
      return store.read(key)
    }),
    write: port.write(({ state }) => `write ${state}`, store.write, {
      // The adapter reads the item before it concludes that it was refused: it may have been its own first try.
      repeat: async (first, delivery, condition) => {
        const second = await store.write(delivery, condition)
        if (second === 'written') return second
        const found = table.seen.deliveries.get(nameOfDelivery(delivery))
        return first === 'written' && found?.writeId === delivery.writeId ? 'written' : 'refused'
      },
      about: delivery => [delivery],
    }),
    moveDue: port.write(({ state }) => `moveDue ${state}`, store.moveDue, {
      repeat: async (first, entry, toDueMs) => {
        const second = await store.moveDue(entry, toDueMs)
        const found = table.seen.deliveries.get(nameOfDelivery(entry))
        return second ?? (first !== null && found?.dueMs === toDueMs ? found : null)
      },
      about: entry => [entry],
    }),
    due: port.read(
      ({ state }) => `due ${state}`,
      query => world.dueOf(query),
    ),
    eventIds: port.read('eventIds', world.eventIdsOf),
  }
}

export const cursorStoreOf = (world: World, process: Process): CursorStore => {
  const { table } = world
  const port = createPort(world, process)
  return {
    read: port.read(({ name }) => `cursor ${name}`, table.cursors.read),
    commit: port.write(({ name }) => `commit ${name}`, table.cursors.commit, {
      repeat: async (first, key, cursor, expected) => {
        const second = await table.cursors.commit(key, cursor, expected)
        // As above: refused by our own first write, unless somebody has committed since.
        return second === 'moved' && table.seen.cursors.get(nameOfCursor(key)) === cursor ? first : second
      },
    }),
  }
}

export const endpointStoreOf = (world: World, process: Process): EndpointStore => {
  const { table } = world
  const port = createPort(world, process)
  const { endpoints } = table
  return {
    list: port.read('endpoints', () => {
      process.listings.push({ step: world.scheduler.steps, atMs: world.scheduler.now() })
      if (process.listings.length > listingsKept) process.listings.shift()
      return world.listEndpoints()
    }),
    read: port.read('endpoint', endpoints.read),
    put: port.write('put endpoint', endpoints.put),
    setState: port.write(({ state }) => `set ${state}`, endpoints.setState, {
      repeat: async (first, change) => {
        const isChanged = await endpoints.setState(change)
        return isChanged || (first && (await endpoints.read(change.id))?.stateSinceMs === change.atMs)
      },
    }),
    setSlow: port.write('setSlow', endpoints.setSlow),
    writeHealth: port.write('writeHealth', endpoints.writeHealth),
    untold: port.read('untold', endpoints.untold),
    setTold: port.write('setTold', endpoints.setTold),
  }
}

/** The message that a queue's body is; null where it is none. */
export const messageIn = (body: string): DeliveryMessage | null => {
  const decoded = decodeMessage(body)
  return decoded.kind === 'message' ? decoded.message : null
}

/** The delivery that a queue's body is about; null where it is about none. */
export const keyIn = (body: string): DeliveryKey | null => messageIn(body)
