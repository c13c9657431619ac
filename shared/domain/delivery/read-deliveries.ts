import type { BridgeError } from '../bridge-error.ts'
import { isUnreadableItem } from '../unreadable-item.ts'
import type { Delivery, DeliveryKey } from './delivery.ts'
import { type DeliveryStore, deliveriesReadMax } from './delivery-store.ts'

/** A key without item is in neither. */
export type DeliveriesRead = {
  deliveries: Delivery[]
  unreadable: { key: DeliveryKey; error: BridgeError }[]
}

type Reads = Pick<DeliveryStore, 'read' | 'readMany'>

/**
 * Reads deliveries, as many at a time as the store takes. Where one of them can't be read, and only then, each is read
 * by itself, so that the others are had. Throws every other fault.
 */
export const readDeliveries = async (keys: readonly DeliveryKey[], store: Reads): Promise<DeliveriesRead> => {
  const reads: Promise<DeliveriesRead>[] = []
  for (let at = 0; at < keys.length; at += deliveriesReadMax) {
    reads.push(readSome(keys.slice(at, at + deliveriesReadMax), store))
  }
  return joined(await Promise.all(reads))
}

const readSome = async (keys: readonly DeliveryKey[], store: Reads): Promise<DeliveriesRead> => {
  try {
    return { deliveries: await store.readMany(keys), unreadable: [] }
  } catch (error) {
    if (!isUnreadableItem(error)) throw error
    return joined(await Promise.all(keys.map(key => readOne(key, store))))
  }
}

const readOne = async (key: DeliveryKey, store: Reads): Promise<DeliveriesRead> => {
  try {
    const delivery = await store.read(key)
    return { deliveries: delivery === null ? [] : [delivery], unreadable: [] }
  } catch (error) {
    if (!isUnreadableItem(error)) throw error
    return { deliveries: [], unreadable: [{ key, error }] }
  }
}

const joined = (parts: readonly DeliveriesRead[]): DeliveriesRead => ({
  deliveries: parts.flatMap(({ deliveries }) => deliveries),
  unreadable: parts.flatMap(({ unreadable }) => unreadable),
})
