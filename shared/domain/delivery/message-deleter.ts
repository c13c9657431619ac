import type { Lane } from './delivery-queue.ts'

/** A message as the queue handed it out: the handle is good for this receipt only. */
export type MessageHandle = { messageId: string; receiptHandle: string }

/** Deletes settled messages before their batch ends (DESIGN.md, section 6, "Two lanes"). */
export interface MessageDeleter {
  /**
   * Tries all of them; throws a `BridgeError` where some could not be deleted. Those come again, and are dropped then,
   * since their delivery is recorded.
   */
  deleteMessages(lane: Lane, handles: readonly MessageHandle[]): Promise<void>
}
