import { dayOfSecond } from '../feedback/event-id.ts'
import type { StreamName } from '../source.ts'
import { daySeconds } from '../time-units.ts'
import { type EventLog, eventLifeDays } from './event-log.ts'
import type { Anchor } from './walk-state.ts'

/** How much older each further try is: the service may have lost a record, an hour, or a day. */
const stepsBackSeconds = [0, 3_600, daySeconds] as const

/** So many 5xx with `last_id`, and a success without, and the anchor counts as lost (DESIGN.md, section 4). */
export const serverErrorsMax = 3

/** How many older anchors are tried before the whole list is read. */
export const olderAnchorsMax = stepsBackSeconds.length

/** The newest event of the log with a second before `second`, as an anchor; looks back as far as events live. */
export const anchorBefore = async (
  log: EventLog,
  of: { sourceId: string; stream: StreamName },
  second: number,
): Promise<Anchor | null> => {
  const untilSecond = second - 1
  for (let back = 0; back <= eventLifeDays && untilSecond - back * daySeconds >= 0; back++) {
    const day = dayOfSecond(untilSecond - back * daySeconds)
    const [event] = await log.newestOfDay({ ...of, day, untilSecond, limit: 1 })
    if (event !== undefined) return { uuid: event.recordId, second: event.second }
  }
  return null
}

/**
 * The anchor to try after the `lost`-th one in a row was lost (counted from 1): older ones from the log first, then
 * none, which is the whole list.
 */
export const anchorAfterLoss = async (
  log: EventLog,
  of: { sourceId: string; stream: StreamName },
  loss: { anchor: Anchor; lost: number },
): Promise<Anchor | null> => {
  const stepBack = stepsBackSeconds[loss.lost - 1]
  if (stepBack === undefined) return null
  return anchorBefore(log, of, loss.anchor.second - stepBack)
}
