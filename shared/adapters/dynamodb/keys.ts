import { BridgeError } from '../../domain/bridge-error.ts'
import type { DeliveryKey, IndexedState } from '../../domain/delivery/delivery.ts'
import { eventDay } from '../../domain/feedback/event-id.ts'
import type { CursorKey } from '../../domain/polling/cursor.ts'
import type { StreamName } from '../../domain/source.ts'
import { shardOf } from '../delivery-index.ts'

export type ItemKey = { pk: string; sk: string }

/** Digits of a due time in the index: Unix milliseconds sort as text until the year 33658. */
const dueDigits = 15
/** Digits of an hour since the epoch. */
const hourDigits = 8

/** A part of a key. The separator in it would make two keys one. */
const part = (value: string): string => {
  if (value !== '' && !value.includes('#')) return value
  throw new BridgeError({
    code: 'invalid_id',
    message: 'an id that is part of a table key is empty or contains "#"',
    hint: 'Give the source or endpoint an id of letters, digits and dashes.',
  })
}

const join = (...parts: readonly string[]): string => parts.map(part).join('#')
const padded = (value: number, digits: number): string => String(value).padStart(digits, '0')

export const sourceKey = (sourceId: string): ItemKey => ({ pk: 'SOURCE', sk: part(sourceId) })
export const endpointKey = (endpointId: string): ItemKey => ({ pk: 'ENDPOINT', sk: part(endpointId) })

export const cursorKey = ({ sourceId, stream, name }: CursorKey): ItemKey => ({
  pk: join('CURSOR', sourceId),
  sk: name === 'main' ? stream : join(stream, name),
})

/** Beside the cursors, as an item of its own: a lease that is taken must not make a commit fail. */
export const runLeaseKey = (sourceId: string): ItemKey => ({ pk: join('CURSOR', sourceId), sk: 'run' })

type OfStream = { sourceId: string; stream: StreamName }

export const eventPartition = ({ sourceId, stream, day }: OfStream & { day: string }): string =>
  join('EVENT', sourceId, stream, day)

export const eventKey = ({ sourceId, stream, eventId }: OfStream & { eventId: string }): ItemKey => ({
  pk: eventPartition({ sourceId, stream, day: eventDay(eventId) }),
  sk: part(eventId),
})

export const deliveryPartition = ({ endpointId, day }: { endpointId: string; day: string }): string =>
  join('DELIVERY', endpointId, day)

export const deliveryKey = ({ endpointId, eventId }: DeliveryKey): ItemKey => ({
  pk: deliveryPartition({ endpointId, day: eventDay(eventId) }),
  sk: part(eventId),
})

export const indexPartition = (state: IndexedState, endpointId: string, shard: number): string =>
  join(state, endpointId, String(shard))

/** The sort keys of all that is due at or before `untilMs` lie before this one. */
export const indexEndOf = (untilMs: number): string => `${padded(untilMs, dueDigits)}#~`

/** The index attributes of a delivery. */
export const indexKey = (entry: DeliveryKey & { state: IndexedState; dueMs: number }) => ({
  ipk: indexPartition(entry.state, entry.endpointId, shardOf(entry.eventId)),
  isk: join(padded(entry.dueMs, dueDigits), entry.eventId),
})

/** The due time of an index sort key, or null where it is none. */
export const dueOfIndexSortKey = (isk: string): number | null => {
  const digits = /^(\d{15})#/.exec(isk)?.[1]
  return digits === undefined ? null : Number(digits)
}

export const quarantineKey = ({ sourceId, stream, hash }: OfStream & { hash: string }): ItemKey => ({
  pk: join('QUARANTINE', sourceId, stream),
  sk: part(hash),
})

/** The parts of a record that one item can't hold, counted from 1. */
export const quarantinePartKey = (head: ItemKey, index: number): ItemKey => ({
  pk: head.pk,
  sk: `${head.sk}#${index}`,
})

export const markPartition = ({ sourceId, stream }: OfStream): string => join('MARK', sourceId, stream)

export const markHour = (hour: number): string => padded(hour, hourDigits)

export const markKey = (mark: OfStream & { hour: number; day: string }): ItemKey => ({
  pk: markPartition(mark),
  sk: join(markHour(mark.hour), mark.day),
})

export const paceKey = (endpointId: string): ItemKey => ({ pk: join('PACE', endpointId), sk: 'pace' })

export const heartbeatKey = (endpointId: string): ItemKey => ({
  pk: join('HEARTBEAT', endpointId),
  sk: 'heartbeat',
})

export const replayPlanKey = (name: string): ItemKey => ({ pk: 'REPLAY', sk: part(name) })
