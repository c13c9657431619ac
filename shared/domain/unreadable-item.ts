import { BridgeError, faultOf } from './bridge-error.ts'
import type { Reporter } from './happenings.ts'

/** Of the adapters' errors those that are of one item: a newer version of ours wrote it, or it is damaged. */
const unreadableCodes: readonly string[] = ['item_newer', 'item_corrupt']

/** Whether the fault is that of one item, which this version can't read: it holds up nothing but that item. */
export const isUnreadableItem = (error: unknown): error is BridgeError =>
  error instanceof BridgeError && unreadableCodes.includes(error.code)

/** Whose item it is; an event of the log is no endpoint's. */
export type ItemOwner = { eventId: string; endpointId: string | null }

/** Tells of an item that can't be read. It stays as it is, and is told each time that it is come upon. */
export const reportUnreadable = (of: ItemOwner, error: BridgeError, reporter: Reporter): void => {
  const { eventId: event, endpointId: endpoint } = of
  reporter.report({ kind: 'fault', event, endpoint, ...faultOf(error), delayMs: 0 })
}

/** Does what takes an item; null, and told, where that can't be read. Throws every other fault. */
export const unlessUnreadable = async <T>(
  of: ItemOwner,
  work: () => Promise<T>,
  reporter: Reporter,
): Promise<{ value: T } | null> => {
  try {
    return { value: await work() }
  } catch (error) {
    if (!isUnreadableItem(error)) throw error
    reportUnreadable(of, error, reporter)
    return null
  }
}
