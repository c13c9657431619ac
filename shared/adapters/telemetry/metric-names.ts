/**
 * The metrics of a deployed bridge, for the functions that publish them, and for the alarms and the dashboard that read
 * them. Each name costs something every month (CloudWatch counts a custom metric for each set of dimensions), so what a
 * log line can tell has no metric.
 */
export const metricsNamespace = 'FeedbackBridge'

/** Of every metric: the stack's prefix. */
export const serviceDimension = 'service'

/** Of `byStream` metrics, which are published a second time without them, as the worst of all streams. */
export const streamDimensions = ['source', 'stream'] as const

export const metricNames = {
  // The poller, added up over a run.
  requests: { name: 'Requests', unit: 'Count' },
  recordsRead: { name: 'RecordsRead', unit: 'Count' },
  enqueued: { name: 'Enqueued', unit: 'Count' },
  quarantined: { name: 'Quarantined', unit: 'Count' },
  beyondMemory: { name: 'BeyondMemory', unit: 'Count' },
  anchorsLost: { name: 'AnchorsLost', unit: 'Count' },
  /** Walks that the service made fail. */
  pollsFailed: { name: 'PollsFailed', unit: 'Count' },
  /** Of these, refused with 401 or 403. */
  tokenRefused: { name: 'TokenRefused', unit: 'Count' },
  /** Walks that a fault of ours ended. */
  pollFaults: { name: 'PollFaults', unit: 'Count' },
  // The poller, as it stands; of several the worst.
  sinceCompleteWalk: { name: 'SinceCompleteWalk', unit: 'Seconds' },
  newestRecordLag: { name: 'NewestRecordLag', unit: 'Seconds' },
  anchorAge: { name: 'AnchorAge', unit: 'Seconds' },
  sweepBehind: { name: 'SweepBehind', unit: 'Seconds' },
  budgetLeft: { name: 'BudgetLeft', unit: 'Count' },
  // The dispatcher, a batch at a time.
  delivered: { name: 'Delivered', unit: 'Count' },
  attemptsFailed: { name: 'AttemptsFailed', unit: 'Count' },
  /** Deliveries given up. */
  deadLettered: { name: 'DeadLettered', unit: 'Count' },
  unreadableMessages: { name: 'UnreadableMessages', unit: 'Count' },
  endpointsDisabled: { name: 'EndpointsDisabled', unit: 'Count' },
  /** Messages and events that had been handled before, and were dropped. */
  duplicates: { name: 'Duplicates', unit: 'Count' },
  /** Messages put off for a fault of ours; also of the releaser. */
  faults: { name: 'Faults', unit: 'Count' },
  /** Of every attempt. */
  attemptMs: { name: 'AttemptMs', unit: 'Milliseconds' },
  /** From a record's `timelogged` to its delivery. */
  eventAgeMs: { name: 'EventAgeMs', unit: 'Milliseconds' },
  // The releaser.
  released: { name: 'Released', unit: 'Count' },
  reconciled: { name: 'Reconciled', unit: 'Count' },
  waiting: { name: 'Waiting', unit: 'Count' },
  held: { name: 'Held', unit: 'Count' },
  deadLetters: { name: 'DeadLetters', unit: 'Count' },
  oldestHeld: { name: 'OldestHeld', unit: 'Seconds' },
  oldestWaiting: { name: 'OldestWaiting', unit: 'Seconds' },
} as const

/** Published for each source and stream as well. */
export const byStream = ['sinceCompleteWalk', 'newestRecordLag'] as const satisfies readonly MetricKey[]

export type MetricKey = keyof typeof metricNames
