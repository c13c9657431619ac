import { type IWidget, TextWidget } from 'aws-cdk-lib/aws-cloudwatch'
import { columns, drawing, logTable, type RowsProps } from './drawing.ts'
import {
  attemptsByEndpoint,
  backlogByEndpoint,
  failedPolls,
  failuresByReason,
  warnings,
} from './insights-queries.ts'

export const headingRow = (text: string): IWidget[] => [
  new TextWidget({ markdown: `## ${text}`, width: columns, height: 1 }),
]

/** Is it polling? */
export const pollingRows = (props: RowsProps): IWidget[][] => {
  const { own, graph, ofStreams } = drawing(props)
  return [
    headingRow('Is it polling?'),
    [
      graph('Seconds since a complete walk', [ofStreams('sinceCompleteWalk')]),
      graph('Seconds since the newest record: quiet, or not read', [ofStreams('newestRecordLag')]),
      graph('What was read', [own('recordsRead', 'Sum'), own('enqueued', 'Sum')]),
      graph('Polls that failed', [own('pollsFailed', 'Sum'), own('pollFaults', 'Sum')]),
    ],
    [
      graph(
        'Requests, and the budget left (right)',
        [own('requests', 'Sum')],
        [own('budgetLeft', 'Minimum')],
      ),
      graph('Seconds of age of the anchor', [own('anchorAge', 'Maximum')]),
      logTable({
        title: 'Polls that failed, by source and reason',
        logGroups: [props.logGroups.poller],
        query: failedPolls,
        width: columns / 2,
      }),
    ],
  ]
}

/** Is it delivering? */
export const deliveryRows = (props: RowsProps): IWidget[][] => {
  const { own, aws, graph } = drawing(props)
  return [
    headingRow('Is it delivering?'),
    [
      graph('Attempts', [own('delivered', 'Sum'), own('attemptsFailed', 'Sum')]),
      graph('Age of events at delivery, ms', [
        own('eventAgeMs', 'p50', 'p50'),
        own('eventAgeMs', 'p95', 'p95'),
      ]),
      graph('Time of an attempt, ms', [own('attemptMs', 'p50', 'p50'), own('attemptMs', 'p99', 'p99')]),
      graph('Put off for faults of ours, and sent by the releaser', [
        own('faults', 'Sum'),
        own('released', 'Sum'),
        own('duplicates', 'Sum'),
      ]),
    ],
    [
      graph('Not delivered yet', [
        own('waiting', 'Maximum'),
        own('held', 'Maximum'),
        own('deadLetters', 'Maximum'),
      ]),
      graph('Seconds of age of the oldest of them', [
        own('oldestHeld', 'Maximum'),
        own('oldestWaiting', 'Maximum'),
      ]),
      graph(
        'Messages in the lanes, and dead letters (right)',
        [
          aws('fast', 'ApproximateNumberOfMessagesVisible', 'Maximum', 'fast'),
          aws('slow', 'ApproximateNumberOfMessagesVisible', 'Maximum', 'slow'),
        ],
        [aws('deadLetters', 'ApproximateNumberOfMessagesVisible', 'Maximum', 'dead letters')],
      ),
      graph('Seconds of age of the oldest message', [
        aws('fast', 'ApproximateAgeOfOldestMessage', 'Maximum', 'fast'),
        aws('slow', 'ApproximateAgeOfOldestMessage', 'Maximum', 'slow'),
      ]),
    ],
  ]
}

/** Who is failing? Questions to the logs: they cost by the bytes that are read, and are asked when the page is opened. */
export const failingRows = ({ logGroups }: RowsProps): IWidget[][] => [
  headingRow('Who is failing?'),
  [
    logTable({
      title: 'Attempts by endpoint',
      logGroups: [logGroups.dispatcher],
      query: attemptsByEndpoint,
      width: 12,
    }),
    logTable({
      title: 'Failures by endpoint and reason',
      logGroups: [logGroups.dispatcher],
      query: failuresByReason,
      width: 12,
    }),
  ],
  [
    logTable({
      title: 'Backlog by endpoint',
      logGroups: [logGroups.releaser],
      query: backlogByEndpoint,
      width: 12,
    }),
    logTable({
      title: 'Warnings, the last first',
      logGroups: Object.values(logGroups),
      query: warnings,
      width: 12,
    }),
  ],
]

/** Do the functions run? */
export const platformRows = (props: RowsProps): IWidget[][] => {
  const { aws, graph } = drawing(props)
  const names = ['poller', 'dispatcher', 'releaser'] as const
  return [
    headingRow('Do the functions run?'),
    [
      graph(
        'Invocations',
        names.map(name => aws(name, 'Invocations', 'Sum', name)),
      ),
      graph(
        'Errors',
        names.map(name => aws(name, 'Errors', 'Sum', name)),
      ),
      graph(
        'Longest invocation, ms',
        names.map(name => aws(name, 'Duration', 'Maximum', name)),
      ),
    ],
  ]
}
