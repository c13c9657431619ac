import { createHmac } from 'node:crypto'
import {
  answerKeptBytesMax,
  type SendResult,
  type WebhookRequest,
} from '../../../shared/domain/delivery/webhook-sender.ts'
import type { Scheduler } from '../engine/scheduler.ts'
import { type Moods, moodAt } from '../plan/moods.ts'

/** What an endpoint does with one POST. */
export type Reception = { isAccepted: boolean; result: SendResult; isLost: boolean }

const retryAfterMsMax = 2 * 3_600_000
const deadlineMs = 15_000

/** An endpoint as it may be: well, slow, down for days, throttling, gone; and one whose answers get lost. */
export const receive = (
  scheduler: Scheduler,
  moods: Moods,
  request: WebhookRequest,
  keys: readonly Uint8Array[],
): Reception => {
  const { dice } = scheduler
  checkSignature(scheduler, request, keys)
  const answered = (status: number, tookMs: number, retryAtMs: number | null = null): SendResult => ({
    kind: 'answered',
    status,
    tookMs,
    retryAtMs,
    answer: status < 300 ? '' : echoOf(request),
  })
  const failed = (result: SendResult): Reception => {
    scheduler.count('endpoint_failed')
    return { isAccepted: false, result, isLost: false }
  }
  const mood = moodAt(moods, scheduler.now())
  const quickMs = dice.int(5, 300)
  switch (mood) {
    case 'errs':
      return failed(answered(dice.pick([500, 503, 404, 301]), quickMs))
    case 'hangs':
      return failed({ kind: 'failed', reason: 'timeout', tookMs: deadlineMs })
    case 'refuses':
      return failed({ kind: 'failed', reason: 'connection_refused', tookMs: quickMs })
    case 'throttles': {
      const patient = dice.chance(0.7) ? scheduler.now() + dice.int(500, retryAfterMsMax) : null
      return failed(answered(dice.pick([429, 503]), quickMs, patient))
    }
    case 'gone':
      return failed(answered(410, quickMs))
    case 'flaky':
      if (dice.chance(0.5)) return failed(answered(500, quickMs))
      break
    case 'well':
    case 'slow':
      break
  }
  const tookMs = mood === 'slow' ? dice.int(2_100, 14_000) : quickMs
  if (scheduler.strikes('answer_lost')) {
    const isHanging = dice.chance(0.5)
    const result: SendResult = isHanging
      ? { kind: 'failed', reason: 'timeout', tookMs: deadlineMs }
      : { kind: 'failed', reason: 'connection_reset', tookMs }
    return { isAccepted: true, result, isLost: true }
  }
  return { isAccepted: true, result: answered(dice.pick([200, 202, 204]), tookMs), isLost: false }
}

/** An endpoint that says what it got: what a bridge keeps of it must not say whom it was about, nor with which secret. */
const echoOf = ({ headers: { authorization = '' }, body }: WebhookRequest): string =>
  `no: ${authorization} ${body}`.slice(0, answerKeptBytesMax)

/** A receiver with any of the endpoint's keys that sign must be able to verify the bytes that it got. */
const checkSignature = (
  scheduler: Scheduler,
  { headers, body, endpoint }: WebhookRequest,
  keys: readonly Uint8Array[],
): void => {
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
  const given = (headers['webhook-signature'] ?? '').split(' ')
  const fits = keys.some(key =>
    given.includes(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`),
  )
  if (!fits) scheduler.violate(`2: a POST to ${endpoint.id} bears no signature that it can verify`)
}
