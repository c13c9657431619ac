import { type AlarmRow, daySeconds, hourSeconds, minuteSeconds } from './alarm-row.ts'

/**
 * An event leaves the log 35 days after it was written, and what is held or waits then is cancelled; the service keeps
 * its record for 30. At 7 days an operator has time to ask the customer; at 25, five days are left in which the record
 * can still be compared at the service, and ten until the event is gone.
 */
const heldTicketDays = 7
const expiryPageDays = 25

/** Retries wait in a lane for 15 minutes at most (`queueDelayMsMax`); twice that is no retry. */
const fastLaneSecondsMax = 30 * minuteSeconds
/** Slow endpoints have few batches at once, so a burst takes its time; two hours are more than that. */
const slowLaneSecondsMax = 2 * hourSeconds

const once = { evaluationPeriods: 1, datapointsToAlarm: 1 }
/** Counts are published where they are not 0. */
const atLeastOne = { comparison: 'at least', threshold: 1, missing: 'notBreaching' } as const

/** The releaser counts every 5 minutes: 15 always have a count of it, and no count says nothing. */
const ofBacklog = {
  comparison: 'at least',
  periodSeconds: 15 * minuteSeconds,
  ...once,
  missing: 'ignore',
} as const

export const deliveryAlarms = (): AlarmRow[] => [
  {
    key: 'nothing-delivered',
    severity: 'page',
    heading: 'Nothing delivered',
    means:
      'For 45 minutes attempts failed, or were put off for a fault of ours, and not one event was delivered.',
    metrics: {
      delivered: { of: 'bridge', metric: 'delivered', statistic: 'Sum' },
      failed: { of: 'bridge', metric: 'attemptsFailed', statistic: 'Sum' },
      faults: { of: 'bridge', metric: 'faults', statistic: 'Sum' },
    },
    // Fewer than five in a quarter of an hour is one delivery that fails alone, on a quiet night.
    expression: 'IF(FILL(failed, 0) + FILL(faults, 0) >= 5 AND FILL(delivered, 0) == 0, 1, 0)',
    ...atLeastOne,
    periodSeconds: 15 * minuteSeconds,
    evaluationPeriods: 3,
    datapointsToAlarm: 3,
  },
  {
    key: 'event-expiry',
    severity: 'page',
    heading: 'Event expiry',
    means: `An event that is held or waits is ${expiryPageDays} days old. At 35 days it leaves the event log, and its delivery is cancelled.`,
    metrics: {
      held: { of: 'bridge', metric: 'oldestHeld', statistic: 'Maximum' },
      waiting: { of: 'bridge', metric: 'oldestWaiting', statistic: 'Maximum' },
    },
    expression: 'MAX([FILL(held, 0), FILL(waiting, 0)])',
    ...ofBacklog,
    threshold: expiryPageDays * daySeconds,
  },
  {
    key: 'oldest-held',
    severity: 'ticket',
    heading: 'Oldest held',
    means: `An event is held for its endpoint that is ${heldTicketDays} days old. Held events wait for a person: the endpoint is disabled or has no key.`,
    // What waits is left to its retries, which end after three days: only a replay makes it older.
    metrics: { held: { of: 'bridge', metric: 'oldestHeld', statistic: 'Maximum' } },
    ...ofBacklog,
    threshold: heldTicketDays * daySeconds,
  },
  {
    key: 'endpoint-disabled',
    severity: 'ticket',
    heading: 'Endpoint disabled',
    means:
      'An endpoint answered 410, or took nothing for days, and was disabled. Its events are held until a person enables it again.',
    metrics: { disabled: { of: 'bridge', metric: 'endpointsDisabled', statistic: 'Sum' } },
    ...atLeastOne,
    periodSeconds: 5 * minuteSeconds,
    ...once,
  },
  {
    key: 'dead-lettered',
    severity: 'ticket',
    heading: 'Dead letters',
    means:
      'Deliveries were given up in the last hour, after 75 to 92 hours. Their events are in the log and can be sent again.',
    metrics: { dead: { of: 'bridge', metric: 'deadLettered', statistic: 'Sum' } },
    ...atLeastOne,
    // An endpoint that is down gives up its events one by one: one alarm for all of them.
    periodSeconds: hourSeconds,
    ...once,
  },
  {
    key: 'dead-letter-queue',
    severity: 'ticket',
    heading: 'Dead letters',
    means:
      'The dead-letter queue is not empty: deliveries given up, messages that no code could read, or messages whose batch died five times.',
    metrics: {
      visible: { of: 'deadLetters', metric: 'ApproximateNumberOfMessagesVisible', statistic: 'Maximum' },
    },
    ...atLeastOne,
    periodSeconds: 5 * minuteSeconds,
    ...once,
  },
  {
    key: 'unreadable-message',
    severity: 'ticket',
    heading: 'Unreadable message',
    means:
      'A message in a lane could not be read by any code and went to the dead-letter queue. Something else sends to the queue, or a release is wrong.',
    metrics: { unreadable: { of: 'bridge', metric: 'unreadableMessages', statistic: 'Sum' } },
    ...atLeastOne,
    periodSeconds: 5 * minuteSeconds,
    ...once,
  },
  {
    key: 'delivery-faults',
    severity: 'ticket',
    heading: 'Delivery faults',
    means:
      'For an hour deliveries were put off for faults of our own: the table, a queue, a secret, an item of a newer version.',
    metrics: { faults: { of: 'bridge', metric: 'faults', statistic: 'Sum' } },
    ...atLeastOne,
    // A message that is put off comes back within 15 minutes, so each such period has a fault while it lasts.
    periodSeconds: 15 * minuteSeconds,
    evaluationPeriods: 4,
    datapointsToAlarm: 4,
  },
  {
    key: 'reconciled',
    severity: 'notice',
    heading: 'Reconciled',
    means:
      'Events that were logged had no delivery after an hour and were sent again. A message was lost, or a lane is more than an hour late.',
    metrics: { reconciled: { of: 'bridge', metric: 'reconciled', statistic: 'Sum' } },
    ...atLeastOne,
    periodSeconds: hourSeconds,
    ...once,
  },
  {
    key: 'fast-lane-late',
    severity: 'page',
    heading: 'Lane late',
    means: `A message in the fast lane is older than ${fastLaneSecondsMax / minuteSeconds} minutes. The dispatcher does not take messages, or not fast enough.`,
    metrics: { age: { of: 'fast', metric: 'ApproximateAgeOfOldestMessage', statistic: 'Maximum' } },
    comparison: 'at least',
    threshold: fastLaneSecondsMax,
    periodSeconds: 5 * minuteSeconds,
    evaluationPeriods: 3,
    datapointsToAlarm: 3,
    // An idle queue has no age (SQS Developer Guide, "Available CloudWatch metrics for Amazon SQS").
    missing: 'notBreaching',
  },
  {
    key: 'slow-lane-late',
    severity: 'ticket',
    heading: 'Lane late',
    means: `A message in the slow lane is older than ${slowLaneSecondsMax / hourSeconds} hours. Slow endpoints get their events late; all others are not touched.`,
    metrics: { age: { of: 'slow', metric: 'ApproximateAgeOfOldestMessage', statistic: 'Maximum' } },
    comparison: 'at least',
    threshold: slowLaneSecondsMax,
    periodSeconds: 5 * minuteSeconds,
    evaluationPeriods: 3,
    datapointsToAlarm: 3,
    missing: 'notBreaching',
  },
]
