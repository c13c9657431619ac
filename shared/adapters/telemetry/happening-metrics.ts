import type { Backlog, Happening, PollHappening } from '../../domain/happenings.ts'
import type { LostReason } from '../../domain/polling/walk.ts'
import type { MetricKey } from './metric-names.ts'
import type { MetricSums } from './metric-sums.ts'

/** As what each is counted, one at a time; null where it is not, and its line tells the rest. */
const countedAs: Readonly<Record<Happening['kind'], MetricKey | null>> = {
  poll: null,
  poll_fault: 'pollFaults',
  anchor_lost: 'anchorsLost',
  sweep_behind: null,
  stream_state: null,
  enqueued: 'enqueued',
  quarantined: 'quarantined',
  attempt: null,
  delivered: 'delivered',
  // How much waits and is held, the backlog says.
  waiting: null,
  held: null,
  dead: 'deadLettered',
  cancelled: null,
  duplicate: 'duplicates',
  fault: 'faults',
  unreadable_message: 'unreadableMessages',
  endpoint_disabled: 'endpointsDisabled',
  // The disabling was counted when it happened.
  operator_told: null,
  endpoint_lane: null,
  heartbeat: null,
  breaker: null,
  released: null,
  reconciled: 'reconciled',
  endpoint_backlog: null,
  backlog: null,
}

/** Adds what a happening is for the metrics. */
export const measure = (happening: Happening, sums: MetricSums): void => {
  const counted = countedAs[happening.kind]
  if (counted !== null) sums.count(counted)
  switch (happening.kind) {
    case 'poll':
      measurePoll(happening, sums)
      break
    case 'sweep_behind':
      sums.gauge('sweepBehind', happening.bySeconds)
      break
    case 'stream_state':
      sums.gauge('sinceCompleteWalk', happening.sinceCompleteWalkSeconds, happening)
      break
    case 'attempt':
      sums.value('attemptMs', happening.tookMs)
      if (happening.reason !== null) sums.count('attemptsFailed')
      break
    case 'delivered':
      sums.value('eventAgeMs', happening.ageMs)
      break
    case 'released':
      sums.count('released', happening.count)
      break
    case 'backlog':
      measureBacklog(happening, sums)
      break
  }
}

/** What the service does so that a walk fails, beside its errors, which have a detail. */
const madeByService: ReadonlySet<string> = new Set(
  Object.keys({
    rejected: true,
    earlier_record: true,
    later_missing: true,
    known_missing: true,
    server_error: true,
    page_does_not_advance: true,
  } satisfies Record<LostReason | 'page_does_not_advance', true>),
)

const measurePoll = (poll: PollHappening, sums: MetricSums): void => {
  sums.count('requests', poll.requests)
  sums.count('recordsRead', poll.read)
  // Events and what is quarantined are counted as they are told of: a poll that a fault ends tells nothing.
  sums.count('beyondMemory', poll.beyondMemory)
  sums.gauge('budgetLeft', poll.budgetLeft)
  sums.gauge('newestRecordLag', poll.newestAgeSeconds, poll)
  sums.gauge('anchorAge', poll.anchorAgeSeconds)
  if (poll.outcome !== 'failed') return
  const byService = poll.detail !== null || (poll.reason !== null && madeByService.has(poll.reason))
  sums.count(byService ? 'pollsFailed' : 'pollFaults')
  if (poll.status === 401 || poll.status === 403) sums.count('tokenRefused')
}

/** All of them each time, as 0 where there is none: so graphs fall, and alarms end, when the last one has gone. */
const measureBacklog = (backlog: Backlog, sums: MetricSums): void => {
  sums.gauge('waiting', backlog.waiting)
  sums.gauge('held', backlog.held)
  sums.gauge('deadLetters', backlog.dead)
  sums.gauge('oldestHeld', backlog.oldestHeldSeconds ?? 0)
  sums.gauge('oldestWaiting', backlog.oldestWaitingSeconds ?? 0)
}
