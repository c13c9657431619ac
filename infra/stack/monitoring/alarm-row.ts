import type { MetricKey } from '../../../shared/adapters/telemetry/metric-names.ts'
import type { StackSettings } from '../settings.ts'
import type { Severity } from './severities.ts'

/** What of the stack a metric of AWS is about. */
export type WatchedResource =
  | 'poller'
  | 'dispatcher'
  | 'releaser'
  | 'fast'
  | 'slow'
  | 'deadLetters'
  | 'failedRuns'
  | 'table'
  | 'index'
  | 'schedules'

export type Statistic = 'Sum' | 'Maximum' | 'Minimum' | 'SampleCount' | 'p50' | 'p95' | 'p99'

/** A metric: one that the functions publish, or one that AWS keeps of a resource. */
export type MetricRef =
  | { of: 'bridge'; metric: MetricKey; statistic: Statistic }
  | { of: WatchedResource; metric: string; statistic: Statistic }

/**
 * What a period without data says. `breaching`: that what should publish does not run. `notBreaching`: that there was
 * none of what is counted. `ignore`: nothing, and the alarm stays as it is.
 */
export type MissingData = 'breaching' | 'notBreaching' | 'ignore'

/** An alarm, as data: all that it is made from, and what the runbook is compared with. */
export type AlarmRow = {
  /** Part of its name. */
  key: string
  severity: Severity
  /** Of the runbook: "### " and this. */
  heading: string
  /** One or two sentences, for somebody who was just woken. */
  means: string
  /** By the names that the expression has for them; without an expression there is one. */
  metrics: Readonly<Record<string, MetricRef>>
  expression?: string
  comparison: 'at least' | 'below'
  threshold: number
  periodSeconds: number
  /** The last so many periods are looked at, and so many of them must breach. */
  evaluationPeriods: number
  datapointsToAlarm: number
  missing: MissingData
}

/** The settings that thresholds follow from. */
export type AlarmSettings = Pick<StackSettings, 'pollEverySeconds' | 'deadlineSeconds'>

export const minuteSeconds = 60
export const hourSeconds = 3_600
export const daySeconds = 86_400

/** The anchor that a heading gets, as GitHub makes it. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-')

export const alarmName = (prefix: string, { severity, key }: Pick<AlarmRow, 'severity' | 'key'>): string =>
  `${prefix}-${severity}-${key}`

export const descriptionOf = ({ severity, means, heading }: AlarmRow): string =>
  `[${severity}] ${means} RUNBOOK.md#${anchorOf(heading)}`
