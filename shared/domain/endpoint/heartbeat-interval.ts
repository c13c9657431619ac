/** No endpoint gets heartbeats more often: the releaser that sends them runs once a minute. */
export const heartbeatEverySecondsMin = 60
/** Nor more seldom: what is counted between two of them is kept for longer than that. */
export const heartbeatEverySecondsMax = 24 * 3_600

/**
 * The begin of the interval whose heartbeat is to be sent now, in Unix milliseconds, or null where none is. Intervals
 * follow each other from the first heartbeat on, so that they do not drift with the runs that send them; those in which
 * none could be sent are left out. One is sent by the run that comes nearest to its begin, half of the time between two
 * runs early or late: were runs never early, a run that is late by a moment would leave an interval out. Pure.
 */
export const dueHeartbeat = (of: {
  everySeconds: number
  /** The last heartbeat's, or null. */
  lastStartMs: number | null
  nowMs: number
  /** Between the begins of two runs. */
  runEveryMs: number
}): number | null => {
  const { lastStartMs, nowMs } = of
  if (lastStartMs === null) return Math.floor(nowMs / 1_000) * 1_000
  const everyMs = of.everySeconds * 1_000
  const intervals = Math.floor((nowMs + of.runEveryMs / 2 - lastStartMs) / everyMs)
  return intervals < 1 ? null : lastStartMs + intervals * everyMs
}
