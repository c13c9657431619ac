/** A message of the dead-letter queue. */
export type DeadLetterMessage = {
  messageId: string
  /** Of this receipt: what deletes it, or shows it to others again. */
  receiptHandle: string
  body: string
  /** Why it was given up, where that was written beside it. */
  reason: string | null
  sentAtMs: number
}

/** How long a message that was received is hidden from others, unless it is shown again earlier. */
export const hiddenForSeconds = 120

/** The dead-letter queue as an operator looks through it. */
export interface DeadLetterMessages {
  /** Some messages, hidden from others for `hiddenForSeconds`; empty where the queue showed none. */
  receive(): Promise<DeadLetterMessage[]>
  /** Deletes messages; says how many it did. */
  remove(messages: readonly DeadLetterMessage[]): Promise<number>
  /** Shows messages to others again at once. What that fails for comes back by itself. */
  release(messages: readonly DeadLetterMessage[]): Promise<void>
}
