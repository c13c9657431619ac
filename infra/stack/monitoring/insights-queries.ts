import type { Happening } from '../../../shared/domain/happenings.ts'

/**
 * Queries of Logs Insights over the lines of the functions: a line's `message` is the happening's kind, its fields are
 * the happening's; what is null is not in the line. Made from the types, so that a field that is renamed is found.
 */
type Kind = Happening['kind']
type FieldOf<K extends Kind> = Exclude<keyof Extract<Happening, { kind: K }>, 'kind'> & string

const of = <K extends Kind>(kind: K) => ({
  filter: `filter message = "${kind}"`,
  field: (name: FieldOf<K>): string => name,
})

const attempt = of('attempt')
const poll = of('poll')
const backlog = of('endpoint_backlog')

const attemptCounts = [
  'count(*) as attempts',
  `count(${attempt.field('reason')}) as failed`,
  `pct(${attempt.field('tookMs')}, 95) as p95TookMs`,
  `pct(${attempt.field('ageMs')}, 95) as p95AgeMs`,
].join(', ')

/** Dispatcher: how each endpoint answers; the one that fails most first. `count(reason)` counts lines that have one. */
export const attemptsByEndpoint: readonly string[] = [
  attempt.filter,
  `stats ${attemptCounts} by ${attempt.field('endpoint')}`,
  'sort failed desc, attempts desc',
  'limit 50',
]

/** Dispatcher: why. */
export const failuresByReason: readonly string[] = [
  `${attempt.filter} and ispresent(${attempt.field('reason')})`,
  `stats count(*) as failed, latest(@timestamp) as lastAt by ${attempt.field('endpoint')}, ${attempt.field('reason')}`,
  'sort failed desc',
  'limit 50',
]

const lastCounts = [
  `latest(${backlog.field('waiting')}) as isWaiting`,
  `latest(${backlog.field('held')}) as isHeld`,
  `latest(${backlog.field('dead')}) as isDead`,
  `latest(${backlog.field('oldestHeldSeconds')}) as oldestHeld`,
].join(', ')

/** Releaser: what each endpoint still has to get, as it was counted last. */
export const backlogByEndpoint: readonly string[] = [
  backlog.filter,
  `stats ${lastCounts}, latest(@timestamp) as countedAt by ${backlog.field('endpoint')}`,
  'sort isHeld desc, isWaiting desc',
  'limit 50',
]

/** Poller: which sources fail, and with what. */
export const failedPolls: readonly string[] = [
  `${poll.filter} and ${poll.field('outcome')} = "failed"`,
  `stats count(*) as failed, latest(@timestamp) as lastAt by ${poll.field('source')}, ${poll.field('stream')}, ${poll.field('reason')}, ${poll.field('status')}`,
  'sort failed desc',
  'limit 20',
]

/** All functions: what a person should look at, the last first. */
export const warnings: readonly string[] = [
  'filter level in ["WARN", "ERROR"]',
  'display @timestamp, message, source, stream, endpoint, event, reason, hint',
  'sort @timestamp desc',
  'limit 30',
]
