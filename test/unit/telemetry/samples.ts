import type { Happening } from '../../../shared/domain/happenings.ts'

export type Kind = Happening['kind']

const bounces = { source: 'main', stream: 'bounces' } as const
const delivery = { event: 'evt_01', endpoint: 'crm', attempt: 2, round: 1 } as const
const backlog = {
  ...{ waiting: 3, held: 2, dead: 1 },
  ...{ oldestHeldSeconds: 7_200, oldestWaitingSeconds: 60, atLeast: false },
} as const

/** One of each kind. */
export const samples = {
  poll: {
    ...{ kind: 'poll', ...bounces, walk: 'news', resumed: false, outcome: 'complete' },
    ...{ reason: null, status: null, detail: null, hint: null },
    ...{ requests: 2, read: 9, enqueued: 3, known: 4, quarantined: 1, beforeFloor: 0, beyondMemory: 1 },
    ...{ tookMs: 180, budgetLeft: 40, newestAgeSeconds: 12, anchorAgeSeconds: 300 },
  },
  poll_fault: { kind: 'poll_fault', ...bounces, reason: 'table_unavailable', hint: 'Look at the table.' },
  anchor_lost: { kind: 'anchor_lost', ...bounces, reason: 'rejected' },
  sweep_behind: { kind: 'sweep_behind', ...bounces, sweep: 'hour', bySeconds: 900 },
  stream_state: { kind: 'stream_state', ...bounces, sinceCompleteWalkSeconds: 4.5, everComplete: true },
  enqueued: {
    ...{ kind: 'enqueued', ...bounces, event: 'evt_01', type: 'email.bounce.hard' },
    ...{ endpoints: ['crm', 'audit'], ageMs: 8_000 },
  },
  quarantined: { kind: 'quarantined', ...bounces, hash: 'a1b2', reason: 'no_uuid' },
  attempt: {
    ...{ kind: 'attempt', ...delivery, type: 'email.bounce.hard', lane: 'fast', status: 503 },
    ...{ reason: 'server_error', tookMs: 120, ageMs: 9_000, queuedMs: 15 },
  },
  delivered: { kind: 'delivered', ...delivery, status: 200, reason: null, ageMs: 9_500 },
  waiting: {
    kind: 'waiting',
    ...delivery,
    status: 503,
    reason: 'server_error',
    retryAtMs: 1_700_000_000_000,
  },
  held: { kind: 'held', ...delivery, status: 410, reason: 'gone' },
  dead: { kind: 'dead', ...delivery, status: 500, reason: 'server_error' },
  cancelled: { kind: 'cancelled', ...delivery, status: null, reason: 'endpoint_removed' },
  duplicate: {
    ...{ kind: 'duplicate', event: 'evt_01', endpoint: null, attempt: null, reason: 'delivered' },
  },
  fault: {
    ...{ kind: 'fault', event: 'evt_01', endpoint: 'crm', reason: 'table_unavailable' },
    ...{ hint: 'Look at the table.', delayMs: 5_000 },
  },
  unreadable_message: { kind: 'unreadable_message', reason: 'not JSON' },
  endpoint_disabled: { kind: 'endpoint_disabled', endpoint: 'crm', reason: 'gone' },
  operator_told: { kind: 'operator_told', endpoint: 'crm', reason: 'answered_410' },
  endpoint_lane: { kind: 'endpoint_lane', endpoint: 'crm', lane: 'slow' },
  breaker: { kind: 'breaker', endpoint: 'crm', state: 'closed', reason: null, openMs: 90_000 },
  heartbeat: {
    ...{ kind: 'heartbeat', event: 'evt_02', endpoint: 'crm', status: 204 },
    ...{ reason: null, tookMs: 30 },
  },
  released: { kind: 'released', endpoint: 'crm', state: 'held', count: 7 },
  reconciled: { kind: 'reconciled', ...bounces, event: 'evt_01', endpoint: 'crm' },
  endpoint_backlog: { kind: 'endpoint_backlog', endpoint: 'crm', ...backlog },
  backlog: { kind: 'backlog', endpoints: 4, ...backlog },
} as const satisfies { [K in Kind]: Happening & { kind: K } }

export const allSamples: readonly Happening[] = Object.values(samples)
