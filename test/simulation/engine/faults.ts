/** What may go wrong; each is counted. Shares are of the calls, messages or requests that it may strike. */
export const faultKinds = [
  /** Nothing was done, and the caller learns it. */
  'call_failed',
  /** It was done, and the caller is told that it failed. */
  'reply_lost',
  /** It was done twice: the SDK repeated a request whose reply was lost. */
  'call_repeated',
  /** The process died before its call was done; or after, before it learned of it. */
  'died',
  /** The process stood still for minutes and went on. */
  'frozen',
  /** A function ran longer than it may and was ended. */
  'timed_out',
  /** A part of a batch was not done. */
  'part_failed',
  /** The queue will never take this message. */
  'send_refused',
  /** The index, or a list, answered as it was some seconds ago. */
  'stale',
  /** The call, or its reply, took seconds. */
  'slow',
  /** A queue handed out a message twice at once. */
  'handed_twice',
  /** A message became visible minutes or hours later than asked. */
  'message_late',
  /** Lambda could not delete what a batch was done with. */
  'delete_failed',
  /** A run of the schedule did not come. */
  'tick_missed',
  /** An endpoint took an event and its answer never came. */
  'answer_lost',
  /** An endpoint failed. */
  'endpoint_failed',
  /** The service failed: errors, throttling, garbage, no answer. */
  'service_failed',
  /** An operator did something. */
  'operator',
] as const
export type FaultKind = (typeof faultKinds)[number]

export type FaultShares = Readonly<Record<FaultKind, number>>

export const noFaults: FaultShares = {
  call_failed: 0,
  reply_lost: 0,
  call_repeated: 0,
  died: 0,
  frozen: 0,
  timed_out: 0,
  part_failed: 0,
  send_refused: 0,
  stale: 0,
  slow: 0,
  handed_twice: 0,
  message_late: 0,
  delete_failed: 0,
  tick_missed: 0,
  answer_lost: 0,
  endpoint_failed: 0,
  service_failed: 0,
  operator: 0,
}

export const newFaultCounts = (): Record<FaultKind, number> => ({ ...noFaults })
