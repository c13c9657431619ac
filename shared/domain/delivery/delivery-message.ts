import * as z from 'zod'
import { streamNames } from '../source.ts'
import { toAsciiJson } from './ascii-json.ts'
import { attemptsPerRoundMax, roundMax } from './position.ts'

/** Grows when a reader of the older version would misread; additions that it may ignore do not count. */
export const messageVersion = 1

/**
 * Of all endpoints' ids: they are part of keys, and one that no key holds would fail the reading of a whole batch. They
 * and types are told in lines, which no text of a stranger is to get into.
 */
const endpointId = z.string().regex(/^[\w.-]{1,128}$/)
const eventType = z.string().regex(/^[a-z][a-z0-9_.-]{0,63}$/)

const messageSchema = z.object({
  v: z.literal(messageVersion),
  eventId: z.string().min(1),
  endpointId,
  sourceId: z.string().min(1),
  stream: z.enum(streamNames),
  type: eventType,
  round: z.int().min(1).max(roundMax),
  attempt: z.int().min(1).max(attemptsPerRoundMax),
  /** When the event was enqueued first: Unix milliseconds. */
  enqueuedAtMs: z.int(),
  /** When the event's TTL removes it, and its deliveries with it: Unix seconds. */
  expiresAtSeconds: z.int(),
  /** The JSON text that is signed and sent. */
  body: z.string(),
  /** Set where the POST succeeded and only its record is still to be written: it must not be POSTed again. */
  deliveredBy: z.object({ atMs: z.int(), tookMs: z.number(), status: z.int() }).nullable().default(null),
})

/** One attempt of one delivery, to be made. */
export type DeliveryMessage = z.infer<typeof messageSchema>

/** The message as text for the queue: ASCII, since SQS and its emulators refuse some characters. */
export const encodeMessage = (message: DeliveryMessage): string => toAsciiJson(message)

/**
 * Of a heartbeat: an older dispatcher would take one of version 1 for a message that nobody can read. So it puts it off,
 * and the one that comes after it drops it, since by then it is late.
 */
const heartbeatVersion = 2

const heartbeatSchema = z.object({
  v: z.literal(heartbeatVersion),
  kind: z.literal('heartbeat'),
  eventId: z.string().min(1),
  endpointId,
  /** Once the next one is due it is worth nothing: Unix milliseconds. */
  notAfterMs: z.int(),
  /** The JSON text that is signed and sent. */
  body: z.string(),
})

/** One heartbeat, to be tried once. It has no delivery: nothing of it is kept. */
export type HeartbeatMessage = z.infer<typeof heartbeatSchema>

/** The heartbeat as text for the queue. */
export const encodeHeartbeat = (of: Omit<HeartbeatMessage, 'v' | 'kind'>): string =>
  toAsciiJson({ v: heartbeatVersion, kind: 'heartbeat', ...of } satisfies HeartbeatMessage)

export type DecodedMessage =
  | { kind: 'message'; message: DeliveryMessage }
  | { kind: 'heartbeat'; heartbeat: HeartbeatMessage }
  /** Written by a version after ours: not ours to judge, so it is put off and never given up. */
  | { kind: 'newer'; version: number }
  /** No code can read it: a dead letter, at once, with this reason. */
  | { kind: 'unreadable'; reason: string }

const versionSchema = z.object({ v: z.int() })

/** Reads a queue body; never throws. */
export const decodeMessage = (body: string): DecodedMessage => {
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    return { kind: 'unreadable', reason: 'not JSON' }
  }
  // What nearly all are comes first: to find out that a body is something else takes longer than to read it.
  const parsed = messageSchema.safeParse(value)
  if (parsed.success) return { kind: 'message', message: parsed.data }
  const heartbeat = heartbeatSchema.safeParse(value)
  if (heartbeat.success) return { kind: 'heartbeat', heartbeat: heartbeat.data }
  const version = versionSchema.safeParse(value)
  if (version.success && version.data.v > messageVersion) return { kind: 'newer', version: version.data.v }
  // Paths and expectations only: values may be addresses.
  const problems = parsed.error.issues.map(issue => `${issue.path.join('.') || '(all)'}: ${issue.code}`)
  return { kind: 'unreadable', reason: problems.join('; ') }
}
