import { eventDay, eventIdRange } from '../../domain/feedback/event-id.ts'
import type { EventLog, EventSummary, KeptEvent } from '../../domain/polling/event-log.ts'
import type { StreamName } from '../../domain/source.ts'
import { dayOfRange } from '../event-days.ts'
import { byText } from './order.ts'

type OfStream = { sourceId: string; stream: StreamName }

type EventKey = OfStream & { eventId: string }

/** What only forgetting needs. */
export type ForgetfulEventLog = EventLog & {
  all(): KeptEvent[]
  forget(key: EventKey, atMs: number): 'forgotten' | 'missing'
}

/** The event log in memory: a map a source, stream and day. */
export const createMemoryEventLog = (): ForgetfulEventLog => {
  const partitions = new Map<string, Map<string, KeptEvent>>()
  const partition = ({ sourceId, stream }: OfStream, day: string): Map<string, KeptEvent> => {
    const key = `${sourceId}#${stream}#${day}`
    const events = partitions.get(key) ?? new Map<string, KeptEvent>()
    partitions.set(key, events)
    return events
  }
  const inOrder = (query: OfStream, day: string, wanted: (id: string) => boolean): KeptEvent[] =>
    [...partition(query, day).values()].filter(event => wanted(event.id)).sort(byText(event => event.id))

  return {
    all: () => structuredClone([...partitions.values()].flatMap(events => [...events.values()])),

    forget: (key, atMs) => {
      const events = partition(key, eventDay(key.eventId))
      const event = events.get(key.eventId)
      if (event === undefined) return 'missing'
      events.set(key.eventId, { forgottenAtMs: atMs, ...event, body: null })
      return 'forgotten'
    },

    idsInRange: async query => {
      const day = dayOfRange(query.firstId, query.lastId)
      return inOrder(query, day, id => id >= query.firstId && id <= query.lastId).map(event => event.id)
    },

    existing: async query => new Set(query.ids.filter(id => partition(query, eventDay(id)).has(id))),

    record: async events => {
      for (const event of events) partition(event, eventDay(event.id)).set(event.id, structuredClone(event))
      return new Set(events.map(event => event.id))
    },

    read: async key => structuredClone(partition(key, eventDay(key.eventId)).get(key.eventId) ?? null),

    newestOfDay: async query => {
      const { last } = eventIdRange(query.untilSecond, query.untilSecond)
      const events = inOrder(query, query.day, id => id <= last)
      return events.reverse().slice(0, query.limit).map(summaryOf)
    },

    pageOfDay: async query => {
      const events = inOrder(query, query.day, id => id >= query.fromId)
      return {
        events: events.slice(0, query.limit).map(summaryOf),
        unreadable: [],
        nextFromId: events[query.limit]?.id ?? null,
      }
    },
  }
}

const summaryOf = ({ body: _body, ...summary }: KeptEvent): EventSummary => structuredClone(summary)
