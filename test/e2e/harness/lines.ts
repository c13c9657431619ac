import * as z from 'zod'

const kinds = [
  'poll',
  'poll_fault',
  'stream_state',
  'anchor_lost',
  'sweep_behind',
  'enqueued',
  'quarantined',
  'attempt',
  'delivered',
  'waiting',
  'held',
  'dead',
  'cancelled',
  'duplicate',
  'fault',
  'unreadable_message',
  'endpoint_disabled',
  'endpoint_lane',
  'breaker',
  'heartbeat',
  'released',
  'reconciled',
] as const
export type Kind = (typeof kinds)[number]

/** One line of `--json`: the fields that the issue names are on every one. */
const lineSchema = z.looseObject({
  at: z.iso.datetime(),
  kind: z.enum(kinds),
  event: z
    .string()
    .regex(/^evt_[0-9A-HJKMNP-TV-Z]{26}$/)
    .nullable(),
  endpoint: z
    .string()
    .regex(/^ep_[0-9a-f]{16}$/)
    .nullable(),
  attempt: z.int().min(1).nullable(),
  status: z.int().min(100).max(599).nullable(),
  reason: z.string().nullable(),
})
export type Line = z.infer<typeof lineSchema>

const ofDelivery: ReadonlySet<Kind> = new Set(['attempt', 'delivered', 'waiting', 'held', 'dead'])

/** Throws for a line that is not what the issue says. */
export const parseLine = (text: string): Line => {
  const line = lineSchema.parse(JSON.parse(text))
  const names = ofDelivery.has(line.kind)
  if (names && (line.event === null || line.endpoint === null || line.attempt === null)) {
    throw new Error(`a line of a delivery does not name it: ${text}`)
  }
  if (line.kind === 'delivered' && (line.status === null || line.status < 200 || line.status > 299)) {
    throw new Error(`delivered with a status that is no success: ${text}`)
  }
  return line
}

const pollSchema = z.looseObject({
  kind: z.literal('poll'),
  stream: z.enum(['bounces', 'complaints']),
  walk: z.enum(['start', 'news', 'overlap', 'sweep-hour', 'sweep-days']),
  outcome: z.enum(['complete', 'unfinished', 'failed', 'superseded']),
  reason: z.string().nullable(),
  status: z.int().nullable(),
  requests: z.int(),
  read: z.int(),
  enqueued: z.int(),
  known: z.int(),
  beforeFloor: z.int(),
})
export type Poll = z.infer<typeof pollSchema>

export const pollsAmong = (lines: readonly Line[]): Poll[] =>
  lines.filter(({ kind }) => kind === 'poll').map(line => pollSchema.parse(line))
