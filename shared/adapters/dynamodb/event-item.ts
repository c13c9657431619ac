import * as z from 'zod'
import { eventDay } from '../../domain/feedback/event-id.ts'
import type { EventSummary, KeptEvent, LoggedEvent } from '../../domain/polling/event-log.ts'
import { streamNames } from '../../domain/source.ts'
import { packBody, unpackBody } from './event-body.ts'
import { checkPartition, corruptItem, itemVersion, parseItem } from './item.ts'
import { eventKey, eventPartition } from './keys.ts'

/** Short names: an item of at most 1 KB is written for one unit, and names count. */
const summaryShape = {
  v: z.literal(itemVersion),
  pk: z.string(),
  sk: z.string(),
  /** type */
  t: z.string(),
  /** record id */
  r: z.string(),
  /** second */
  s: z.int(),
  /** endpoint ids; absent where there is none */
  e: z.array(z.string()).default([]),
  /** logged at, Unix milliseconds */
  l: z.int(),
  expiresAt: z.int(),
  /** forgotten at, Unix milliseconds; such an item has no body */
  f: z.int().optional(),
}
const summarySchema = z.object(summaryShape)
const eventSchema = z.object({
  ...summaryShape,
  /** packed body */
  b: z.instanceof(Uint8Array),
  /** the body's encoding */
  c: z.int(),
})
/** Which of the two an item is. */
const forgottenSchema = z.object({ f: z.int() })

/** What a summary needs, so that a query does not carry the bodies. */
export const summaryProjection = { ProjectionExpression: 'pk, sk, v, t, r, s, e, l, f, expiresAt' }

export const eventItem = (event: LoggedEvent) => {
  const body = packBody(event.body)
  return {
    ...eventKey({ ...event, eventId: event.id }),
    v: itemVersion,
    t: event.type,
    r: event.recordId,
    s: event.second,
    ...(event.endpointIds.length > 0 && { e: [...event.endpointIds] }),
    l: event.loggedAtMs,
    expiresAt: event.expiresAtSeconds,
    b: body.bytes,
    c: body.encoding,
  }
}

type SummaryItem = z.infer<typeof summarySchema>

/** Source and stream stand in the key alone. */
const toSummary = (item: SummaryItem): EventSummary => {
  const [, sourceId = '', streamText] = item.pk.split('#')
  const stream = streamNames.find(name => name === streamText)
  if (!stream) throw corruptItem('event', 'pk: not that of a stream')
  checkPartition('event', item.pk, () => eventPartition({ sourceId, stream, day: eventDay(item.sk) }))
  return {
    id: item.sk,
    sourceId,
    stream,
    type: item.t,
    recordId: item.r,
    second: item.s,
    endpointIds: item.e,
    loggedAtMs: item.l,
    expiresAtSeconds: item.expiresAt,
    ...(item.f !== undefined && { forgottenAtMs: item.f }),
  }
}

export const readSummary = (item: unknown): EventSummary => toSummary(parseItem('event', summarySchema, item))

export const readEvent = (item: unknown): KeptEvent => {
  const forgotten = forgottenSchema.safeParse(item)
  if (forgotten.success) {
    return { ...readSummary(item), forgottenAtMs: forgotten.data.f, body: null }
  }
  const parsed = parseItem('event', eventSchema, item)
  return { ...toSummary(parsed), body: unpackBody({ encoding: parsed.c, bytes: parsed.b }) }
}
