import * as z from 'zod'
import {
  type AttemptRecord,
  type Delivery,
  type DeliveryKey,
  deliveryStates,
} from '../../domain/delivery/delivery.ts'
import { positionOfRank, rank } from '../../domain/delivery/position.ts'
import { streamNames } from '../../domain/source.ts'
import { indexEntryOf } from '../delivery-index.ts'
import { checkPartition, itemVersion, parseItem } from './item.ts'
import { deliveryKey, indexKey } from './keys.ts'

/** Short names, and null is an absent attribute: a delivered item is written for one unit. */
const attemptSchema = z.object({
  p: z.int(),
  t: z.int(),
  ms: z.number(),
  st: z.int().optional(),
  re: z.string().optional(),
  an: z.string().default(''),
  /** its answer is that of the attempt after it */
  sa: z.literal(true).optional(),
})

const itemSchema = z.object({
  v: z.literal(itemVersion),
  pk: z.string(),
  sk: z.string(),
  /** endpoint id, source id, stream */
  ep: z.string(),
  so: z.string(),
  sm: z.enum(streamNames),
  /** state */
  st: z.enum(deliveryStates),
  /** position, as its rank: conditions compare one number */
  p: z.int(),
  /** retry at, due, first failure at: Unix milliseconds */
  ra: z.int().optional(),
  du: z.int().optional(),
  ff: z.int().optional(),
  /** reason */
  re: z.string().optional(),
  /** attempts */
  at: z.array(attemptSchema).default([]),
  /** write id */
  w: z.string(),
  /** the id of the last lease, of `moveDue` */
  le: z.string().optional(),
  /** updated at, Unix milliseconds */
  u: z.int(),
  expiresAt: z.int(),
})

/**
 * An endpoint that fails mostly says the same each time: it is kept once, so that the item of a delivery that failed often
 * is still written for one unit or two. A version that does not know of that takes the other attempts' answers for empty.
 */
const attemptItem = (attempt: AttemptRecord, at: number, all: readonly AttemptRecord[]) => {
  const { answer } = attempt
  const isRepeated = answer !== '' && answer === all[at + 1]?.answer
  return {
    p: rank(attempt.position),
    t: attempt.atMs,
    ms: attempt.tookMs,
    st: attempt.status ?? undefined,
    re: attempt.reason ?? undefined,
    an: answer === '' || isRepeated ? undefined : answer,
    sa: isRepeated ? true : undefined,
  }
}

/** The answer of an attempt, its own or that of one after it. */
const answerOf = (attempts: readonly z.infer<typeof attemptSchema>[], at: number): string =>
  attempts.slice(at).find(({ sa }) => sa === undefined)?.an ?? ''

/** The index attributes are there exactly where the state has an entry and a due time. */
const indexAttributes = (delivery: Delivery) => {
  const entry = indexEntryOf(delivery)
  return entry ? indexKey(entry) : {}
}

export const deliveryItem = (delivery: Delivery) => ({
  ...deliveryKey(delivery),
  ...indexAttributes(delivery),
  v: itemVersion,
  ep: delivery.endpointId,
  so: delivery.sourceId,
  sm: delivery.stream,
  st: delivery.state,
  p: rank(delivery.position),
  ra: delivery.retryAtMs ?? undefined,
  du: delivery.dueMs ?? undefined,
  ff: delivery.firstFailureAtMs ?? undefined,
  re: delivery.reason ?? undefined,
  at: delivery.attempts.length > 0 ? delivery.attempts.map(attemptItem) : undefined,
  w: delivery.writeId,
  u: delivery.updatedAtMs,
  expiresAt: delivery.expiresAtSeconds,
})

/** The delivery, and the id of the lease that moved it last. */
export const readDelivery = (item: unknown): { delivery: Delivery; leaseId: string | null } => {
  const parsed = parseItem('delivery', itemSchema, item)
  const key: DeliveryKey = { endpointId: parsed.ep, eventId: parsed.sk }
  checkPartition('delivery', parsed.pk, () => deliveryKey(key).pk)
  const delivery: Delivery = {
    ...key,
    sourceId: parsed.so,
    stream: parsed.sm,
    state: parsed.st,
    position: positionOfRank(parsed.p),
    retryAtMs: parsed.ra ?? null,
    dueMs: parsed.du ?? null,
    firstFailureAtMs: parsed.ff ?? null,
    reason: parsed.re ?? null,
    attempts: parsed.at.map((attempt, at) => ({
      position: positionOfRank(attempt.p),
      atMs: attempt.t,
      tookMs: attempt.ms,
      status: attempt.st ?? null,
      reason: attempt.re ?? null,
      answer: answerOf(parsed.at, at),
    })),
    writeId: parsed.w,
    updatedAtMs: parsed.u,
    expiresAtSeconds: parsed.expiresAt,
  }
  return { delivery, leaseId: parsed.le ?? null }
}
