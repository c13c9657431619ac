import { queueSettings } from '../../../shared/adapters/sqs/queues.ts'
import { daySeconds, hourMs } from '../../../shared/domain/time-units.ts'
import type { Target } from '../target/operator-bridge.ts'

/** What a table can be restored to where nothing else is set (DynamoDB API Reference, "PointInTimeRecoverySpecification"). */
const recoveryPeriodMs = 35 * daySeconds * 1_000
/** A poll, its messages, a worker that gives one up: what was under way is through by then. */
const underWayMs = hourMs

/** Where the address may still be, and until when; null where nobody here knows. */
export type StillHeld = {
  /** Stable, for machines. */
  where:
    | 'under_way'
    | 'queued_messages'
    | 'point_in_time_recovery'
    | 'other_backups'
    | 'data_folder'
    | 'customers'
    | 'service'
  untilMs: number | null
  text: string
}

/** What this command can't reach. */
export const stillHeld = (target: Target, nowMs: number): readonly StillHeld[] => [
  {
    where: 'under_way',
    untilMs: nowMs + underWayMs,
    text: 'what was being read or given up in this moment: run the same command again then',
  },
  {
    where: 'queued_messages',
    untilMs: nowMs + queueSettings.retentionSeconds * 1_000,
    text: 'messages on their way: the dispatcher drops each when it comes, usually within minutes',
  },
  ...(target.kind === 'stack' ? awsHeld(nowMs) : folderHeld),
  {
    where: 'customers',
    untilMs: null,
    text: 'the systems that events were delivered to: tell them',
  },
  {
    where: 'service',
    untilMs: null,
    text: 'the email service: a new bounce or complaint of the address is a new event',
  },
]

const awsHeld = (nowMs: number): readonly StillHeld[] => [
  {
    where: 'point_in_time_recovery',
    untilMs: nowMs + recoveryPeriodMs,
    text: "the table's point-in-time recovery; after a restore run the same command again",
  },
  {
    where: 'other_backups',
    untilMs: null,
    text: 'backups and exports of the table that somebody made otherwise',
  },
]

const folderHeld: readonly StillHeld[] = [
  {
    where: 'data_folder',
    untilMs: null,
    text: 'files of the data folder: its database overwrites what is old in its own time',
  },
]
