import { minuteMs } from '../time-units.ts'

const minuteSeconds = minuteMs / 1_000

/**
 * How often a run of the poller is to begin, in minutes, where no source is polled more often than every
 * `pollEverySeconds`: every minute, so that a run that dies is soon followed by another, but no oftener than there is
 * something to poll.
 */
export const runEveryMinutes = (pollEverySeconds: number): number =>
  Math.max(1, Math.floor(pollEverySeconds / minuteSeconds))
