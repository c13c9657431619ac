import { dispatcherTimeoutSeconds } from '../dispatcher.ts'
import type { FunctionName } from '../names.ts'
import { type AlarmRow, type AlarmSettings, type MetricRef, minuteSeconds } from './alarm-row.ts'
import type { Severity } from './severities.ts'

/** A failure now and then is made good by the next run or receipt; a quarter of an hour of them is not. */
const lasting = { periodSeconds: 5 * minuteSeconds, evaluationPeriods: 3, datapointsToAlarm: 3 }
const once = { evaluationPeriods: 1, datapointsToAlarm: 1 }
/** AWS publishes these where there are some. */
const atLeastOne = { comparison: 'at least', threshold: 1, missing: 'notBreaching' } as const

const sumOf = (of: Exclude<MetricRef['of'], 'bridge'>, metric: string): MetricRef => ({
  of,
  metric,
  statistic: 'Sum',
})

const errorsOf = (name: FunctionName, severity: Severity, means: string): AlarmRow => ({
  key: `${name}-errors`,
  severity,
  heading: 'Function errors',
  means,
  metrics: { errors: sumOf(name, 'Errors') },
  ...atLeastOne,
  ...lasting,
})

/**
 * Left out on purpose. In-flight messages against the 120,000 that SQS allows: a lane has 1,000 batches of 20 at most.
 * The table's UserErrors: CloudWatch has them of the whole account only (DynamoDB Developer Guide, "DynamoDB metrics
 * and dimensions"). What a receiver answers: that is the receiver's, until deliveries are given up.
 */
export const platformAlarms = ({ deadlineSeconds }: AlarmSettings): AlarmRow[] => [
  errorsOf(
    'poller',
    'ticket',
    'Runs of the poller fail or time out. The next run begins anew; no complete walk pages when none gets through.',
  ),
  errorsOf(
    'dispatcher',
    'page',
    'Batches of deliveries die or time out. Their messages come back after six minutes, and after five receipts they are in the dead-letter queue.',
  ),
  errorsOf(
    'releaser',
    'ticket',
    'Runs of the releaser fail or time out. What waits or is held may not be sent again.',
  ),
  {
    key: 'releaser-silent',
    severity: 'page',
    heading: 'Releaser silent',
    means:
      'The releaser did not count what waits and is held for half an hour: it does not run, or does not get through. Retries after more than 15 minutes, replays and held events are not sent.',
    metrics: { counts: { of: 'bridge', metric: 'waiting', statistic: 'SampleCount' } },
    comparison: 'below',
    threshold: 1,
    // It counts every 5 minutes.
    periodSeconds: 15 * minuteSeconds,
    evaluationPeriods: 2,
    datapointsToAlarm: 2,
    missing: 'breaching',
  },
  {
    key: 'throttles',
    severity: 'ticket',
    heading: 'Function throttles',
    means:
      'Lambda refuses to run our functions: the concurrency of the account, or that reserved for the dispatcher, is used up.',
    metrics: {
      poller: sumOf('poller', 'Throttles'),
      dispatcher: sumOf('dispatcher', 'Throttles'),
      releaser: sumOf('releaser', 'Throttles'),
    },
    expression: 'FILL(poller, 0) + FILL(dispatcher, 0) + FILL(releaser, 0)',
    ...atLeastOne,
    ...lasting,
  },
  {
    key: 'dispatcher-slow',
    severity: 'notice',
    heading: 'Dispatcher slow',
    means:
      'A batch of deliveries took so long that it came near the time-out of the function. What comes before and after the attempts is slow: the table, the keys, or too little memory.',
    metrics: { took: { of: 'dispatcher', metric: 'Duration', statistic: 'Maximum' } },
    comparison: 'at least',
    // All attempts of a batch run at once: beyond half the way from their deadline to the time-out it is not them.
    threshold: ((deadlineSeconds + dispatcherTimeoutSeconds) / 2) * 1_000,
    ...lasting,
    missing: 'notBreaching',
  },
  {
    key: 'runs-dropped',
    severity: 'ticket',
    heading: 'Failed runs',
    means:
      'Runs of the poller or the releaser failed, or could not begin within a minute. Each is in the failed-runs queue.',
    metrics: {
      poller: sumOf('poller', 'AsyncEventsDropped'),
      releaser: sumOf('releaser', 'AsyncEventsDropped'),
    },
    expression: 'FILL(poller, 0) + FILL(releaser, 0)',
    comparison: 'at least',
    // Of 30 runs in a quarter of an hour; one that failed is made good by the next.
    threshold: 5,
    periodSeconds: 15 * minuteSeconds,
    ...once,
    missing: 'notBreaching',
  },
  {
    key: 'failed-runs',
    severity: 'notice',
    heading: 'Failed runs',
    means:
      'The failed-runs queue is not empty: a run of the poller or the releaser failed or did not begin. The next run did its work; the message tells why.',
    metrics: {
      visible: { of: 'failedRuns', metric: 'ApproximateNumberOfMessagesVisible', statistic: 'Maximum' },
    },
    ...atLeastOne,
    periodSeconds: 5 * minuteSeconds,
    ...once,
  },
  {
    key: 'schedule-failures',
    severity: 'ticket',
    heading: 'Schedule failures',
    means:
      'EventBridge Scheduler could not start the poller or the releaser: a permission, a function that is gone, or Lambda throttles.',
    metrics: {
      refused: sumOf('schedules', 'TargetErrorCount'),
      dropped: sumOf('schedules', 'InvocationDroppedCount'),
    },
    expression: 'FILL(refused, 0) + FILL(dropped, 0)',
    ...atLeastOne,
    ...lasting,
  },
  {
    key: 'table-throttled',
    severity: 'ticket',
    heading: 'Table throttled',
    means:
      'DynamoDB throttles the table or its index for a quarter of an hour. Requests are tried again; polling and delivery get slow.',
    metrics: {
      reads: sumOf('table', 'ReadThrottleEvents'),
      writes: sumOf('table', 'WriteThrottleEvents'),
      // A throttled index holds up the writes of its table.
      index: sumOf('index', 'WriteThrottleEvents'),
    },
    expression: 'FILL(reads, 0) + FILL(writes, 0) + FILL(index, 0)',
    ...atLeastOne,
    ...lasting,
  },
]
