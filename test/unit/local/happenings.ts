import type { Happening, PollHappening } from '../../../shared/domain/happenings.ts'

/** Happenings for tests, whole but for what a test is about. */
export const poll = (of: Partial<PollHappening> = {}): PollHappening => ({
  kind: 'poll',
  source: 'src_1',
  stream: 'bounces',
  walk: 'news',
  resumed: false,
  outcome: 'complete',
  reason: null,
  status: null,
  detail: null,
  hint: null,
  requests: 1,
  read: 0,
  enqueued: 0,
  known: 0,
  quarantined: 0,
  beforeFloor: 0,
  beyondMemory: 0,
  tookMs: 5,
  budgetLeft: 40,
  newestAgeSeconds: null,
  anchorAgeSeconds: null,
  ...of,
})

const position = { attempt: 1, round: 1 }

export const enqueued = (event: string, endpoints: readonly string[]): Happening => ({
  kind: 'enqueued',
  source: 'src_1',
  stream: 'bounces',
  event,
  type: 'email.bounce.hard',
  endpoints,
  ageMs: 1_000,
})

export const attempt = (event: string, status: number | null, reason: string | null = null): Happening => ({
  kind: 'attempt',
  event,
  endpoint: 'ep_1',
  ...position,
  type: 'email.bounce.hard',
  lane: 'fast',
  status,
  reason,
  tookMs: 3,
  ageMs: 2_000,
  queuedMs: 1,
})

export const delivered = (event: string, ageMs = 2_000): Happening => ({
  kind: 'delivered',
  event,
  endpoint: 'ep_1',
  ...position,
  status: 200,
  reason: null,
  ageMs,
})

export const waiting = (event: string): Happening => ({
  kind: 'waiting',
  event,
  endpoint: 'ep_1',
  ...position,
  status: 503,
  reason: 'http_503',
  retryAtMs: 9_000,
})

export const ended = (kind: 'held' | 'dead' | 'cancelled', event: string): Happening => ({
  kind,
  event,
  endpoint: 'ep_1',
  ...position,
  status: null,
  reason: 'timeout',
})
