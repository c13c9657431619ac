import { dayMs, minuteMs } from '../time-units.ts'

/** So many failures on end, with no success between them, … */
export const failuresInRowToOpen = 10
/** … and spread over at least this, open the breaker: a burst of parallel failures says less than a minute of them. */
export const failingMsToOpen = minuteMs
/** Or this share of so many attempts within a window, for an endpoint that fails by turns. */
export const failingShareToOpen = 0.5
export const attemptsToJudge = 20
export const windowMs = 5 * minuteMs

/** Between two probes of an open breaker: doubled from the first one's, up to the last one's. */
export const probeAfterMsFirst = 30_000
export const probeAfterMsMax = 5 * minuteMs
/** Each wait is longer or shorter by up to this share, so that endpoints that failed together are not probed together. */
const probeJitterShare = 0.2

/** After a pause that is shorter than this, release goes on as if the endpoint had been ready for so long already. */
export const shortPauseMsMax = minuteMs
export const shortPauseHeadStartMs = 5 * minuteMs

/** An endpoint that failed for this long without a success is disabled. */
export const disableAfterMsDefault = 5 * dayMs

/** What is known of an endpoint's health, by all dispatchers together; kept with it in the table. */
export type EndpointHealth = {
  /** Grows with every write, so that two dispatchers do not undo each other's. */
  version: number
  /** Failures since the last success that was noted. */
  failuresInRow: number
  /** The first attempt without success since then; null where there was none. Also 429 counts here: it is no success. */
  failingSinceMs: number | null
  /** Attempts counted since the window began. */
  window: { sinceMs: number; failures: number; successes: number }
  /** While it is open nothing is attempted but a probe; null: closed. */
  open: OpenBreaker | null
  /** The endpoint asked to be left alone until then (`Retry-After`). */
  pausedUntilMs: number | null
  /** When it was ready again after a breaker, a pause or an operator's enabling: what waited is released by and by. */
  readySinceMs: number | null
}

export type OpenBreaker = {
  sinceMs: number
  because: 'failures_in_row' | 'failing_share'
  /** Probes that were begun. */
  probes: number
  nextProbeAtMs: number
}

/** Whether the endpoint asked to be left alone until later than now. Pure. */
export const isPaused = ({ pausedUntilMs }: Pick<EndpointHealth, 'pausedUntilMs'>, nowMs: number): boolean =>
  pausedUntilMs !== null && nowMs < pausedUntilMs

export const goodHealth: EndpointHealth = {
  version: 0,
  failuresInRow: 0,
  failingSinceMs: null,
  window: { sinceMs: 0, failures: 0, successes: 0 },
  open: null,
  pausedUntilMs: null,
  readySinceMs: null,
}

/** What attempts of one batch met, of one endpoint. Times are Unix milliseconds. */
export type BatchOutcomes = {
  successes: number
  failures: number
  /** Failures after the last success of the batch: all, where it had none. */
  failuresSinceSuccess: number
  /** 429: the endpoint is there and asks for patience, so that it is no reason to open the breaker. */
  throttled: number
  /** Start of the last attempt that succeeded; null where none did. */
  lastSuccessAtMs: number | null
  /** Start of the first attempt after that one that did not, 429 among them; null where there was none. */
  failingSinceMs: number | null
  /** The latest time that a `Retry-After` of 429 or 503 asked for. */
  pauseUntilMs: number | null
}

export type HealthChange = {
  health: EndpointHealth
  breaker: 'opened' | 'closed' | null
  /** Nothing was delivered for so long that the endpoint is to be disabled. */
  isDisabling: boolean
}

/**
 * An endpoint's health after some more attempts. Pure: `random` is at least 0 and below 1. A success closes the breaker
 * only if its attempt began after it was opened: one that was under way then says nothing new.
 */
export const healthAfter = (of: {
  health: EndpointHealth
  outcomes: BatchOutcomes
  /** Of earlier batches, not written until now: for the window alone. */
  successesBefore: number
  nowMs: number
  random: number
  disableAfterMs: number
}): HealthChange => {
  const { health, outcomes, nowMs } = of
  const succeeded = outcomes.successes > 0
  const failuresInRow = outcomes.failuresSinceSuccess + (succeeded ? 0 : health.failuresInRow)
  const failingSinceMs = failingSince(health, outcomes)
  const window = windowAfter(health.window, of)
  const counted = { ...health, version: health.version + 1, failuresInRow, failingSinceMs, window }
  const paused = { ...counted, ...pauseAfter(health, outcomes, nowMs) }
  const wasFailing = outcomes.failures + outcomes.throttled > 0 && !succeeded
  const isDisabling = wasFailing && failingSinceMs !== null && nowMs - failingSinceMs >= of.disableAfterMs
  if (health.open !== null) {
    const closes = outcomes.lastSuccessAtMs !== null && outcomes.lastSuccessAtMs >= health.open.sinceMs
    if (!closes) return { health: paused, breaker: null, isDisabling }
    const closed = { ...paused, open: null, readySinceMs: nowMs, window: { ...noAttempts, sinceMs: nowMs } }
    return { health: closed, breaker: 'closed', isDisabling: false }
  }
  const because = reasonToOpen({ failuresInRow, failingSinceMs, window, nowMs })
  if (because === null || !wasFailing) return { health: paused, breaker: null, isDisabling }
  const nextProbeAtMs = nowMs + probeAfterMs(0, of.random)
  const open = { sinceMs: nowMs, because, probes: 0, nextProbeAtMs }
  return { health: { ...paused, open, readySinceMs: null }, breaker: 'opened', isDisabling }
}

/** The health of an open breaker once a probe has begun; null where none is to begin now. Pure, as above. */
export const healthWithProbe = (
  health: EndpointHealth,
  { nowMs, random }: { nowMs: number; random: number },
): EndpointHealth | null => {
  const { open } = health
  if (open === null || nowMs < open.nextProbeAtMs) return null
  const probes = open.probes + 1
  const nextProbeAtMs = nowMs + probeAfterMs(probes, random)
  return { ...health, version: health.version + 1, open: { ...open, probes, nextProbeAtMs } }
}

/** What an endpoint begins with that an operator enabled. Pure. */
export const healthOnEnabling = (before: EndpointHealth, nowMs: number): EndpointHealth => ({
  ...goodHealth,
  version: before.version + 1,
  readySinceMs: nowMs,
})

/** Whether attempts are counted in it that a success would clear. */
export const isTroubled = ({ failuresInRow, failingSinceMs, open }: EndpointHealth): boolean =>
  failuresInRow > 0 || failingSinceMs !== null || open !== null

const noAttempts = { failures: 0, successes: 0 }

const probeAfterMs = (probes: number, random: number): number => {
  const meantMs = Math.min(probeAfterMsFirst * 2 ** probes, probeAfterMsMax)
  return Math.round(meantMs * (1 + probeJitterShare * (2 * random - 1)))
}

const failingSince = (health: EndpointHealth, { successes, failingSinceMs }: BatchOutcomes): number | null =>
  successes > 0 ? failingSinceMs : (health.failingSinceMs ?? failingSinceMs)

const windowAfter = (
  window: EndpointHealth['window'],
  { outcomes, successesBefore, nowMs }: { outcomes: BatchOutcomes; successesBefore: number; nowMs: number },
): EndpointHealth['window'] => {
  const current = nowMs - window.sinceMs < windowMs ? window : { ...noAttempts, sinceMs: nowMs }
  return {
    ...current,
    failures: current.failures + outcomes.failures,
    successes: current.successes + outcomes.successes + successesBefore,
  }
}

const reasonToOpen = (of: {
  failuresInRow: number
  failingSinceMs: number | null
  window: EndpointHealth['window']
  nowMs: number
}): OpenBreaker['because'] | null => {
  const { window, nowMs } = of
  const lastsLongEnough = of.failingSinceMs !== null && nowMs - of.failingSinceMs >= failingMsToOpen
  if (of.failuresInRow >= failuresInRowToOpen && lastsLongEnough) return 'failures_in_row'
  const attempts = window.failures + window.successes
  const isSpread = nowMs - window.sinceMs >= failingMsToOpen
  const isMostlyFailing = attempts >= attemptsToJudge && window.failures / attempts >= failingShareToOpen
  return isSpread && isMostlyFailing ? 'failing_share' : null
}

/** A later time wins; what is over is forgotten with the next write. */
const pauseAfter = (
  { pausedUntilMs, readySinceMs }: EndpointHealth,
  outcomes: BatchOutcomes,
  nowMs: number,
): Pick<EndpointHealth, 'pausedUntilMs' | 'readySinceMs'> => {
  const askedMs = outcomes.pauseUntilMs
  if (askedMs === null || askedMs <= (pausedUntilMs ?? 0)) return { pausedUntilMs, readySinceMs }
  // What waited meanwhile does not come all at once; of one that often asks for seconds, nor by drops.
  const isShort = askedMs - nowMs < shortPauseMsMax
  return { pausedUntilMs: askedMs, readySinceMs: isShort ? askedMs - shortPauseHeadStartMs : askedMs }
}
