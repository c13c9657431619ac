import { BridgeError } from '../domain/bridge-error.ts'
import { eventDay } from '../domain/feedback/event-id.ts'

/** The day that an inclusive range of event ids lies in: a partition holds one. Throws where it spans more. */
export const dayOfRange = (firstId: string, lastId: string): string => {
  const day = eventDay(firstId)
  if (day === eventDay(lastId)) return day
  throw new BridgeError({
    code: 'range_spans_days',
    message: 'a range of event ids spans more than one day',
    hint: 'Ask for each day on its own.',
  })
}
