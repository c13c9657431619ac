import { hourMs, minuteMs } from '../time-units.ts'
import { attemptsPerRoundMax, type Position } from './position.ts'
import { gone, httpReason } from './reasons.ts'
import type { SendResult } from './webhook-sender.ts'

/** Milliseconds to wait after each failed attempt of a round; after the last one's failure, dead letter. */
export type RetrySchedule = readonly number[]

/** DESIGN.md, section 6, "Schedule": ten attempts within 75.6 hours. */
export const defaultRetrySchedule: RetrySchedule = [
  5_000,
  5 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  5 * hourMs,
  10 * hourMs,
  14 * hourMs,
  20 * hourMs,
  24 * hourMs,
]

/** Each delay is longer or shorter by up to this share, so that what failed together does not come back together. */
export const jitterShare = 0.2
/** An endpoint may ask for this much patience in one `Retry-After`, and no more. */
export const retryAfterMsMax = hourMs
/**
 * What attempts, queues and the releaser may take beside the schedule's own delays: without it a schedule of seconds
 * would end before its attempts are made.
 */
export const scheduleSlackMs = hourMs

/** `Retry-After` is obeyed for these (DESIGN.md, section 6, "Answers"). */
const patientStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504])
const goneStatus = 410

/** The delivery waits for its endpoint, and no attempt was made. */
export type Hold = {
  kind: 'hold'
  reason: string
  /**
   * The endpoint is thought to come back by itself, so that the schedule's time goes on; else it waits for an operator,
   * until its event expires.
   */
  isTimed: boolean
}

/** What becomes of a delivery. */
export type Step =
  | { kind: 'delivered' }
  | { kind: 'retry'; atMs: number; reason: string }
  | Hold
  /** The endpoint says that it is no more: it is disabled, the delivery held. */
  | { kind: 'gone'; reason: string }
  | { kind: 'dead'; reason: string }

/**
 * What follows from an attempt, or from the reason why none was made. Pure: `nowMs` is Unix milliseconds, `random` a
 * number of at least 0 and below 1, `firstFailureAtMs` that of this round, or null before its first failure.
 */
export const nextStep = (of: {
  result: SendResult | Hold
  position: Position
  firstFailureAtMs: number | null
  nowMs: number
  random: number
  schedule: RetrySchedule
}): Step => {
  const { result, position, schedule, nowMs } = of
  if (result.kind === 'hold') {
    return result.isTimed && scheduleIsOver(of) ? { kind: 'dead', reason: result.reason } : result
  }
  if (isSuccess(result)) return { kind: 'delivered' }
  const reason = failureReason(result)
  // A position has no number beyond this; the release of a held delivery would need one.
  if (position.attempt >= attemptsPerRoundMax) return { kind: 'dead', reason }
  if (result.kind === 'answered' && result.status === goneStatus) return { kind: 'gone', reason: gone }
  const delayMs = schedule[position.attempt - 1]
  if (delayMs === undefined || scheduleIsOver(of)) return { kind: 'dead', reason }
  const scheduledMs = nowMs + Math.round(delayMs * (1 + jitterShare * (2 * of.random - 1)))
  return { kind: 'retry', atMs: Math.max(scheduledMs, askedForMs(result, nowMs)), reason }
}

/** 2xx. */
export const isSuccess = (result: SendResult): boolean =>
  result.kind === 'answered' && result.status >= 200 && result.status <= 299

/** The stable code of a failure: `http_503`, or why there was no answer. */
export const failureReason = (result: SendResult): string =>
  result.kind === 'answered' ? httpReason(result.status) : result.reason

/** From a round's first failure until it is over, whatever was or was not attempted. */
export const roundMsMax = (schedule: RetrySchedule): number =>
  schedule.reduce((sum, delayMs) => sum + delayMs, 0) * (1 + jitterShare) + scheduleSlackMs

const scheduleIsOver = (of: {
  firstFailureAtMs: number | null
  nowMs: number
  schedule: RetrySchedule
}): boolean => of.firstFailureAtMs !== null && of.nowMs - of.firstFailureAtMs > roundMsMax(of.schedule)

const askedForMs = (result: SendResult, nowMs: number): number =>
  result.kind === 'answered' && patientStatuses.has(result.status) ? askedUntilMs(result, nowMs) : 0

/** Until when a `Retry-After` asks for patience, as far as it is given: Unix milliseconds, 0 where it does not. */
const askedUntilMs = ({ retryAtMs }: { retryAtMs: number | null }, nowMs: number): number =>
  retryAtMs === null ? 0 : Math.min(retryAtMs, nowMs + retryAfterMsMax)

/** Too many requests: the endpoint works, and asks for fewer. */
export const isThrottled = (result: SendResult): boolean =>
  result.kind === 'answered' && result.status === 429

/**
 * Until when a `Retry-After` asks that the whole endpoint be left alone: these statuses speak of the endpoint, where
 * 502 and 504 come from what stands before it. Null where none does.
 */
export const pauseUntilMs = (result: SendResult, nowMs: number): number | null => {
  if (result.kind !== 'answered' || (result.status !== 429 && result.status !== 503)) return null
  const untilMs = askedUntilMs(result, nowMs)
  return untilMs > nowMs ? untilMs : null
}
