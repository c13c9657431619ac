import type { AttemptRecord, Delivery, DeliveryState } from '../../../shared/domain/delivery/delivery.ts'
import { nextAttempt, type Position } from '../../../shared/domain/delivery/position.ts'
import { deliveryReasons } from '../../../shared/domain/delivery/reasons.ts'
import { showDuration } from '../../local/durations.ts'
import type { Look } from '../output/look.ts'
import { showMoment, showMomentAndAge } from '../output/moments.ts'
import { printable } from '../output/printable.ts'
import { renderTable } from '../output/table.ts'
import { none } from '../output/texts.ts'

export const coloredState = ({ colors }: Look, state: DeliveryState): string => {
  if (state === 'delivered') return colors.green(state)
  if (state === 'dead') return colors.red(state)
  return state === 'cancelled' ? colors.dim(state) : colors.yellow(state)
}

const meanings: ReadonlyMap<string, string> = new Map(Object.entries(deliveryReasons))

/** What a column of reasons takes: no reason is broken where the terminal has room for it. */
export const reasonWidth = Math.max(...[...meanings.keys()].map(reason => reason.length))

/** A reason's code with what it means; `http_503` says it itself. */
export const reasonText = (reason: string): string => {
  const meaning = meanings.get(reason)
  return meaning === undefined ? reason : `${reason}, ${meaning}`
}

/** `attempt 3`; from the second round on, of which. */
export const showPosition = ({ round, attempt }: Position): string =>
  round === 1 ? `attempt ${attempt}` : `attempt ${attempt} of round ${round}`

/** Where a delivery stands, in a sentence or two. */
export const standingText = (look: Look, delivery: Delivery, nowMs: number): string => {
  const state = coloredState(look, delivery.state)
  const reason = delivery.reason === null ? '' : `: ${reasonText(delivery.reason)}`
  switch (delivery.state) {
    case 'delivered':
      return `${state} ${showMomentAndAge(delivery.updatedAtMs, nowMs)} with ${showPosition(delivery.position)}`
    case 'waiting':
      return `${state}${reason}; ${showPosition(nextAttempt(delivery.position))} ${whenNext(delivery, nowMs)}`
    case 'held':
      return `${state}${reason}`
    case 'dead':
    case 'cancelled':
      return `${state} since ${showMomentAndAge(delivery.updatedAtMs, nowMs)}${reason}`
  }
}

const whenNext = ({ retryAtMs, dueMs }: Delivery, nowMs: number): string => {
  const atMs = retryAtMs ?? dueMs
  if (atMs === null || atMs <= nowMs) return 'is on its way'
  return `comes ${showMomentAndAge(atMs, nowMs)}`
}

/** The attempts that are kept, with their answers. */
export const renderAttempts = (look: Look, { attempts, position }: Delivery): string => {
  const made = position.attempt
  const rows = attempts.map(attempt => [
    `${attempt.position.round}.${attempt.position.attempt}`,
    showMoment(attempt.atMs),
    showDuration(attempt.tookMs),
    outcomeOf(look, attempt),
    attempt.answer === '' ? none : printable(attempt.answer),
  ])
  const columns = [
    { title: 'ATTEMPT' },
    { title: 'AT' },
    { title: 'TOOK', align: 'right' },
    { title: 'OUTCOME', shrinks: true },
    { title: 'ANSWER', shrinks: true },
  ] as const
  const kept = attempts.filter(attempt => attempt.position.round === position.round).length
  const lost = made > kept ? `\n${look.colors.dim(keptText(attempts.length))}` : ''
  return `${renderTable(look, columns, rows)}${lost}`
}

const keptText = (count: number): string => `Of the attempts, the last ${count} are kept.`

const outcomeOf = ({ colors }: Look, { status, reason }: AttemptRecord): string => {
  if (reason === null) return colors.green(String(status ?? 'delivered'))
  return colors.red(status === null ? reason : String(status))
}
