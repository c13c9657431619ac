import type { DeliveryKey } from '../../../shared/domain/delivery/delivery.ts'

export type ProcessKind = 'poller' | 'dispatcher' | 'releaser' | 'operator'

/** An execution environment of a Lambda function, or an operator's command. */
export type Process = {
  readonly id: string
  readonly kind: ProcessKind
  /** An operator's command; null for a function. */
  readonly task: string | null
  /** After its death nothing that it waits for ever comes back to it. */
  isAlive: boolean
  /** Nothing comes back to it before; infinite between two invocations, when Lambda freezes the environment. */
  frozenUntilMs: number
  /** The step at which it stood still last, in its invocation; -1 where it did not. */
  frozenAt: number
  /** What came for it while it was frozen without an end. */
  parked: (() => void)[]
  /** Of the invocation that it is in; it grows by one with each. */
  invocation: number
  /** Which deliveries it has in hand, by name: the messages of its batch. */
  inHand: Map<string, InHand>
  /** Its last listings of the endpoints. */
  listings: { step: number; atMs: number }[]
  /** Its last looks at what the log knows. */
  logReads: LogRead[]
  /** What somebody outside does when it dies; null: nobody learns of it. */
  onDeath: (() => void) | null
}

/** A delivery whose message a dispatcher has. */
export type InHand = DeliveryKey & {
  messageId: string
  body: string
  round: number
  /** The step at which its item was read, and what it was; null before. */
  read: { step: number; state: string | null; round: number } | null
}

/** A reading of the log, at a step: which ids it would have shown. */
export type LogRead = {
  step: number
  covers: (event: { id: string; sourceId: string; stream: string }) => boolean
  /** False of what was written so short a time before that the answer lacked it. */
  isShown: (id: string) => boolean
}

export const createProcess = (kind: ProcessKind, number: number, task: string | null): Process => ({
  id: `${kind}-${number}`,
  kind,
  task,
  isAlive: true,
  frozenUntilMs: 0,
  frozenAt: -1,
  parked: [],
  invocation: 0,
  inHand: new Map(),
  listings: [],
  logReads: [],
  onDeath: null,
})
