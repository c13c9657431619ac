import { mapBounded } from '../../../shared/adapters/bounded.ts'
import type { Order } from '../../../shared/adapters/dynamodb/event-pages.ts'
import { createIndexPages } from '../../../shared/adapters/dynamodb/index-pages.ts'
import type { Delivery, DeliveryKey } from '../../../shared/domain/delivery/delivery.ts'
import { eventSecond } from '../../../shared/domain/feedback/event-id.ts'
import {
  type DeadLetterSelection,
  hasEvent,
  hasReason,
  needsEvent,
} from '../../../shared/domain/replay/dead-letter-selection.ts'
import type { SecondRange } from '../events/in-order.ts'
import type { OperatorBridge } from '../target/operator-bridge.ts'
import { deadEntries } from './dead-entries.ts'

/** Deliveries that are read, and then changed, together. */
const pageMax = 100
const readsAtOnce = 16

export type ToFind = {
  endpointIds: readonly string[]
  selection: DeadLetterSelection
  range: SecondRange
  /** Of these events alone; null: of all. */
  eventIds: readonly string[] | null
  /** Those that died before this alone; null: all. */
  diedBeforeMs: number | null
  /** By when they died. */
  order: Order
}

type With = {
  bridge: OperatorBridge
  signal: AbortSignal
  /** How many more were looked at. */
  looked: (count: number) => void
}

/**
 * Dead letters by the table, which is the truth: each page was read, consistently, just before it is handed on. Ends early,
 * without a word, where it is interrupted.
 */
export async function* findDead(of: ToFind, deps: With): AsyncGenerator<Delivery[]> {
  for await (const keys of together(keysOf(of, deps))) {
    if (deps.signal.aborted) return
    const found = await deps.bridge.store.readMany(keys)
    const byName = new Map(found.map(delivery => [nameOf(delivery), delivery]))
    const dead = keys
      .map(key => byName.get(nameOf(key)))
      .filter(delivery => delivery !== undefined)
      .filter(delivery => isMeant(delivery, of))
    const wanted = await ofEvents(dead, of.selection, deps.bridge)
    deps.looked(keys.length)
    if (wanted.length > 0) yield wanted
  }
}

const isMeant = (delivery: Delivery, { selection, diedBeforeMs }: ToFind): boolean =>
  delivery.state === 'dead' &&
  hasReason(delivery, selection) &&
  (diedBeforeMs === null || delivery.updatedAtMs < diedBeforeMs)

/** How many dead letters there are to look at, by the index alone: at most so many will be found. */
export const countEntries = async (of: ToFind, deps: Omit<With, 'looked'>): Promise<number> => {
  let count = 0
  for await (const _ of keysOf(of, deps)) count += 1
  return count
}

async function* keysOf(
  { endpointIds, eventIds, range, order }: ToFind,
  { bridge, signal }: Omit<With, 'looked'>,
): AsyncGenerator<DeliveryKey> {
  const isInRange = ({ eventId }: DeliveryKey): boolean => {
    const second = eventSecond(eventId)
    return second >= range.fromSecond && second <= range.toSecond
  }
  if (eventIds !== null) {
    const keys = eventIds.flatMap(eventId => endpointIds.map(endpointId => ({ endpointId, eventId })))
    yield* keys.filter(isInRange)
    return
  }
  for await (const entry of deadEntries({ endpointIds, order, signal }, createIndexPages(bridge.table))) {
    if (isInRange(entry)) yield entry
  }
}

const ofEvents = async (
  deliveries: readonly Delivery[],
  selection: DeadLetterSelection,
  { log }: OperatorBridge,
): Promise<Delivery[]> => {
  if (!needsEvent(selection)) return [...deliveries]
  const fits = await mapBounded(deliveries, readsAtOnce, async delivery =>
    hasEvent(await log.read(delivery), selection),
  )
  return deliveries.filter((_, at) => fits[at] === true)
}

async function* together(keys: AsyncIterable<DeliveryKey>): AsyncGenerator<DeliveryKey[]> {
  let page: DeliveryKey[] = []
  for await (const { endpointId, eventId } of keys) {
    page.push({ endpointId, eventId })
    if (page.length < pageMax) continue
    yield page
    page = []
  }
  if (page.length > 0) yield page
}

/** The types of deliveries' events, in their order; null where the log has the event no more. */
export const typesOf = (
  deliveries: readonly Delivery[],
  { log }: Pick<OperatorBridge, 'log'>,
): Promise<(string | null)[]> =>
  mapBounded(deliveries, readsAtOnce, async delivery => (await log.read(delivery))?.type ?? null)

const nameOf = ({ endpointId, eventId }: DeliveryKey): string => `${endpointId} ${eventId}`
