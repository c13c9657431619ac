import { runEveryMinutes } from '../../../shared/domain/polling/run-schedule.ts'
import { type AlarmRow, type AlarmSettings, daySeconds, hourSeconds, minuteSeconds } from './alarm-row.ts'

/** Runs of the poller publish when they end: a period this long always has the end of one that is well. */
export const pollPeriodSeconds = (pollEverySeconds: number): number => {
  const tickSeconds = runEveryMinutes(pollEverySeconds) * minuteSeconds
  const slackSeconds = 2 * minuteSeconds
  const step = 5 * minuteSeconds
  return Math.ceil((tickSeconds + slackSeconds) / step) * step
}

/**
 * Two polls that failed, and ten minutes: a restart of the service, or a deployment of ours, ends by itself. Records
 * are kept for 30 days, so nothing is lost yet; but customers wait.
 */
export const noWalkSecondsMax = (pollEverySeconds: number): number =>
  10 * minuteSeconds + 2 * pollEverySeconds

/**
 * Of the 30 days for which the service keeps a record (field notes, "retention"). No complete walk has paged long
 * before; who silenced that is told again while ten days are left.
 */
const anchorAgeDaysMax = 20

/**
 * The days' sweep reads 32 hours every 6 (shared/domain/polling/sweeps.ts), so what is late by less than 26 hours
 * leaves no gap. At 6 hours a whole sweep was left out, and 20 hours are left.
 */
const sweepBehindSecondsMax = 6 * hourSeconds

export const pollingAlarms = ({ pollEverySeconds }: AlarmSettings): AlarmRow[] => {
  const periodSeconds = pollPeriodSeconds(pollEverySeconds)
  const noWalkSeconds = noWalkSecondsMax(pollEverySeconds)
  const twice = { evaluationPeriods: 2, datapointsToAlarm: 2 }
  const once = { evaluationPeriods: 1, datapointsToAlarm: 1 }
  // Counts are published where they are not 0.
  const atLeastOne = { comparison: 'at least', threshold: 1, missing: 'notBreaching' } as const
  return [
    {
      key: 'no-complete-walk',
      severity: 'page',
      heading: 'No complete walk',
      means: `A stream was not read to its end for more than ${Math.round(noWalkSeconds / minuteSeconds)} minutes, or the poller does not run. New bounces and complaints do not become events.`,
      metrics: { since: { of: 'bridge', metric: 'sinceCompleteWalk', statistic: 'Maximum' } },
      comparison: 'at least',
      threshold: noWalkSeconds,
      periodSeconds,
      ...twice,
      // A poller without a source publishes 0, so nothing at all means that none runs.
      missing: 'breaching',
    },
    {
      key: 'token-refused',
      severity: 'page',
      heading: 'Token refused',
      means:
        'The email service refuses the API token of a source (401 or 403). It is not read until a person mends that.',
      metrics: { refused: { of: 'bridge', metric: 'tokenRefused', statistic: 'Sum' } },
      ...atLeastOne,
      periodSeconds,
      // A refused token is asked again every minute: two periods on end are no glitch of the service.
      ...twice,
    },
    {
      key: 'anchor-age',
      severity: 'page',
      heading: 'Anchor age',
      means: `A stream is not read to its end, and the last record known to be read is ${anchorAgeDaysMax} days old. The service forgets records after 30 days: what is not read by then is lost.`,
      metrics: {
        age: { of: 'bridge', metric: 'anchorAge', statistic: 'Maximum' },
        since: { of: 'bridge', metric: 'sinceCompleteWalk', statistic: 'Maximum' },
      },
      // A quiet stream has an old anchor too, and complete walks.
      expression: `IF(since >= ${noWalkSeconds}, age, 0)`,
      comparison: 'at least',
      threshold: anchorAgeDaysMax * daySeconds,
      periodSeconds,
      ...twice,
      // Where the poller doesn't run, nothing is known; no complete walk tells of that.
      missing: 'ignore',
    },
    {
      key: 'poll-faults',
      severity: 'ticket',
      heading: 'Poll faults',
      means:
        'Polls end by faults of our own: the table, a secret, an item of a newer version. Some streams may stand still.',
      metrics: { faults: { of: 'bridge', metric: 'pollFaults', statistic: 'Sum' } },
      ...atLeastOne,
      periodSeconds,
      // One fault is polled over; three periods on end are not.
      evaluationPeriods: 3,
      datapointsToAlarm: 3,
    },
    {
      key: 'sweep-behind',
      severity: 'ticket',
      heading: 'Sweep behind',
      means:
        'Re-reading the past for late records is six hours late or more. A record that becomes visible late may not be found.',
      metrics: { behind: { of: 'bridge', metric: 'sweepBehind', statistic: 'Maximum' } },
      comparison: 'at least',
      threshold: sweepBehindSecondsMax,
      periodSeconds,
      ...twice,
      // Only a sweep that is behind publishes.
      missing: 'notBreaching',
    },
    {
      key: 'quarantine',
      severity: 'ticket',
      heading: 'Quarantine',
      means:
        'A record could not be understood. It is kept raw and no event was made of it; the stream goes on.',
      metrics: { quarantined: { of: 'bridge', metric: 'quarantined', statistic: 'Sum' } },
      ...atLeastOne,
      periodSeconds,
      ...once,
    },
    {
      key: 'beyond-memory',
      severity: 'ticket',
      heading: 'Beyond memory',
      means:
        'The service shows records older than the event log remembers. They may have been sent before, so they were counted and not sent.',
      metrics: { beyond: { of: 'bridge', metric: 'beyondMemory', statistic: 'Sum' } },
      ...atLeastOne,
      periodSeconds,
      ...once,
    },
    {
      key: 'anchor-lost',
      severity: 'notice',
      heading: 'Anchor lost',
      means:
        'The service did not know a record that reading was to go on from. The poller goes on from an older one, or reads the whole list; nothing is sent twice.',
      metrics: { lost: { of: 'bridge', metric: 'anchorsLost', statistic: 'Sum' } },
      ...atLeastOne,
      periodSeconds,
      ...once,
    },
  ]
}
