import type { DeliveryKey } from '../../../shared/domain/delivery/delivery.ts'
import type { FaultKind } from '../engine/faults.ts'
import type { Process } from '../engine/process.ts'

/** Why an event may have been POSTed again to an endpoint that had taken it (DESIGN.md, invariant 2). */
export const doubleCauses = [
  /** The process died before it could tell of the success. */
  'died',
  /** The endpoint's answer never came. */
  'answer_lost',
  /** The process stood still, and another one had the message meanwhile. */
  'frozen',
  /** The queue handed the message out twice, or again while somebody had it. */
  'handed_twice',
  'visible_again',
  /** A message that was done with came again, or came hours late beside the one that was sent for it. */
  'delete_failed',
  'message_late',
  /** A send happened though it was reported as failed, or twice; a write was not known to have happened. */
  'call_repeated',
  'reply_lost',
  'part_failed',
  'call_failed',
  'slow',
  /** Two pollers had the record at the same time, or one sent it and could not record that. */
  'enqueued_twice',
] as const
export type DoubleCause = (typeof doubleCauses)[number]

const causesByFault: Partial<Record<FaultKind, DoubleCause>> = {
  frozen: 'frozen',
  call_repeated: 'call_repeated',
  reply_lost: 'reply_lost',
  part_failed: 'part_failed',
  call_failed: 'call_failed',
  delete_failed: 'delete_failed',
  slow: 'slow',
}
export const causeOf = (fault: FaultKind): DoubleCause | null => causesByFault[fault] ?? null

export type Post = {
  step: number
  atMs: number
  process: Process
  invocation: number
  round: number
  messageId: string
  /** The step at which the process read the delivery. */
  readAt: number
  /** Whether its process stood still by the time at which the request, sent before, was on its way. */
  leftFrozen: boolean
  isAccepted: boolean
  /** Whether the endpoint's answer came to the process. */
  isAnswered: boolean
}

/** What happened to one event at one endpoint, seen from outside. */
export type Story = DeliveryKey & {
  enqueued: number
  posts: Post[]
  /** What went wrong on its way that may make a second message, or a second POST. */
  causes: Set<DoubleCause>
  /** Rounds that an operator began. */
  begun: Set<number>
  /** Rounds that ended in a dead letter. */
  dead: Set<number>
  /** The step at which its success was recorded first, in the round it stands in; null before. */
  recordedAt: number | null
}

export const newStory = (key: DeliveryKey): Story => ({
  ...key,
  enqueued: 0,
  posts: [],
  causes: new Set(),
  begun: new Set(),
  dead: new Set(),
  recordedAt: null,
})

/** Why it was POSTed again after `first` was accepted; null where nothing explains it. */
export const whyAgain = (story: Story, first: Post, second: Post): DoubleCause | null => {
  if (!first.process.isAlive) return 'died'
  if (!first.isAnswered) return 'answer_lost'
  // Between its look at the table and its POST, the other one was done; or that one could not tell of it yet.
  const couldNotTell = first.leftFrozen || first.process.frozenAt >= first.step
  if (second.process.frozenAt >= second.readAt || couldNotTell) return 'frozen'
  return doubleCauses.find(cause => story.causes.has(cause)) ?? null
}
