import * as z from 'zod'
import type { RateLimit } from './feedback-api.ts'

/** The service's window (feedback-api.md, section 8): a sliding one of ours holds under any way to cut time. */
export const windowMs = 60_000
/** Two requests a window apart by our clock may be closer by the service's: a clock is set right, a timer is early. */
export const windowSlackMs = 100
/** What is left to others with the same key, and to our own miscounting (DESIGN.md, section 4). */
const spentShareMax = 0.8
/** Re-reading gets at most this much of the budget, and so do sweeps, so that news always get half of it. */
const sideShareMax = 0.25
/** No answer of the service makes us wait longer: a wrong header must not silence a source for days. */
export const waitMsMax = 3_600_000

/** What a request is for: new records, the overlap once more, or a sweep of the past. */
export type RequestKind = 'news' | 'reread' | 'sweep'
/** What is not news, and has a share of its own of the budget. */
export type SideKind = Exclude<RequestKind, 'news'>

/**
 * The requests of one second, all taken to be as late as the last of them. Counts by the second, since a list of times
 * would grow with the limit.
 */
type SpentSecond = Readonly<Record<RequestKind, number>> & { readonly lastMs: number }

const secondOf = ({ lastMs }: Pick<SpentSecond, 'lastMs'>): number => Math.floor(lastMs / 1000)

/** The request budget of one source; a value: each step makes a new one. */
export type BudgetState = {
  readonly requestsPerMinute: number
  /** The limit that counts: `requestsPerMinute`, lowered by what the service said last. */
  readonly limit: number
  /** Nothing is asked before this Unix time. */
  readonly notBeforeMs: number
  /** Oldest first; at most one entry for each second of the window. */
  readonly spent: readonly SpentSecond[]
}

export type Permission = { allowed: true; remaining: number } | { allowed: false; untilMs: number }

/** A budget of which nothing is spent. `requestsPerMinute`: the limit that the service states. */
export function emptyBudget(requestsPerMinute: number): BudgetState {
  return { requestsPerMinute, limit: requestsPerMinute, notBeforeMs: 0, spent: [] }
}

/** How many requests any window may hold: 80 % of the limit, rounded down, and one at least. */
export function budgetOf(limit: number): number {
  return Math.max(1, Math.floor(limit * spentShareMax))
}

/** Whether a request of this kind may be sent now, and if not, from when on (to be asked again then). */
export function permission(state: BudgetState, nowMs: number, kind: RequestKind = 'news'): Permission {
  const untilMs = Math.min(state.notBeforeMs, nowMs + waitMsMax)
  if (untilMs > nowMs) return { allowed: false, untilMs }
  const inWindow = state.spent.filter(entry => counts(entry, nowMs))
  const whole = share(inWindow, everyKind, budgetOf(state.limit))
  const side = kind === 'news' ? whole : share(inWindow, [kind], sideBudgetOf(state.limit))
  const remaining = Math.min(whole.left, side.left)
  if (remaining > 0) return { allowed: true, remaining }
  return { allowed: false, untilMs: Math.max(whole.freeAtMs, side.freeAtMs, nowMs + 1) }
}

/** How many requests of this kind may be sent at once. */
export function remaining(state: BudgetState, nowMs: number, kind: RequestKind = 'news'): number {
  const answer = permission(state, nowMs, kind)
  return answer.allowed ? answer.remaining : 0
}

/** How much of its own share re-reading, or sweeping, has left; the whole budget may have less. */
export function sideLeft(state: BudgetState, nowMs: number, kind: SideKind): number {
  const inWindow = state.spent.filter(entry => counts(entry, nowMs))
  return share(inWindow, [kind], sideBudgetOf(state.limit)).left
}

/** The budget after a request was sent. Counts it even where `permission` would have refused. */
export function spend(state: BudgetState, nowMs: number, kind: RequestKind = 'news'): BudgetState {
  const kept = state.spent.filter(entry => counts(entry, nowMs))
  const one = { lastMs: nowMs, news: 0, reread: 0, sweep: 0, [kind]: 1 }
  return { ...state, spent: mergeSpent(kept, [one]) }
}

/** Two accounts of what was spent as one: of each second and kind what `count` makes of both; default: their sum. */
export function mergeSpent(
  one: BudgetState['spent'],
  other: BudgetState['spent'],
  count: (a: number, b: number) => number = (a, b) => a + b,
): BudgetState['spent'] {
  const seconds = new Map(one.map(entry => [secondOf(entry), entry]))
  for (const entry of other) {
    const same = seconds.get(secondOf(entry)) ?? { ...entry, news: 0, reread: 0, sweep: 0 }
    seconds.set(secondOf(entry), {
      lastMs: Math.max(same.lastMs, entry.lastMs),
      news: count(same.news, entry.news),
      reread: count(same.reread, entry.reread),
      sweep: count(same.sweep, entry.sweep),
    })
  }
  return [...seconds.values()].sort((a, b) => a.lastMs - b.lastMs)
}

/**
 * The budget once a request that was spent at `spentMs` has ended: it counts from then on. The service may have received
 * it as late as that, and only a slot that is freed a minute after it keeps the limit within any minute of the service's.
 */
export function ended(state: BudgetState, spentMs: number, nowMs: number, kind: RequestKind): BudgetState {
  const second = secondOf({ lastMs: spentMs })
  const entry = state.spent.find(one => secondOf(one) === second)
  if (entry === undefined || entry[kind] === 0) return state
  const rest = { ...entry, [kind]: entry[kind] - 1 }
  const others = state.spent.filter(one => one !== entry)
  const isEmpty = everyKind.every(one => rest[one] === 0)
  return spend({ ...state, spent: isEmpty ? others : [...others, rest] }, nowMs, kind)
}

/**
 * The budget after an answer, an error's too. The service's limit lowers ours and never raises it beyond the configured
 * one. Where no more is left than the reserve for others, nothing is asked before the reset; never before `retryAtMs`.
 */
export function observe(
  state: BudgetState,
  answer: { rateLimit: RateLimit | null; retryAtMs: number | null; nowMs: number },
): BudgetState {
  const { rateLimit, retryAtMs, nowMs } = answer
  const stated = rateLimit?.limit ?? null
  const limit = stated === null ? state.limit : Math.max(1, Math.min(state.requestsPerMinute, stated))
  const waits = [
    state.notBeforeMs,
    retryAtMs ?? 0,
    rateLimit === null ? 0 : resetOf(rateLimit, limit, retryAtMs ?? nowMs + windowMs),
  ]
  const notBeforeMs = Math.max(...waits.map(atMs => Math.min(atMs, nowMs + waitMsMax)))
  return { ...state, limit, notBeforeMs }
}

/** When asking may go on after what the service says is left; 0 where enough is left, `elseMs` where it names no time. */
function resetOf(rateLimit: RateLimit, limit: number, elseMs: number): number {
  const theirs = rateLimit.limit ?? limit
  const reserve = theirs - budgetOf(theirs)
  if (rateLimit.remaining === null || rateLimit.remaining > reserve) return 0
  return rateLimit.resetAtMs ?? elseMs
}

const everyKind = ['news', 'reread', 'sweep'] as const satisfies readonly RequestKind[]

/** How many of them may be for re-reading, and as many for sweeps. */
export function sideBudgetOf(limit: number): number {
  return Math.max(1, Math.floor(budgetOf(limit) * sideShareMax))
}

/** An entry counts while its last request lies in the window; one from the future (a clock set back) as well. */
function counts(entry: SpentSecond, nowMs: number): boolean {
  return freeOf(entry) > nowMs && entry.lastMs - nowMs < windowMs
}

/** When its last request has left the window. */
function freeOf({ lastMs }: SpentSecond): number {
  return lastMs + windowMs + windowSlackMs
}

/** What these kinds left of `most`, and when at least one of it is free again. */
function share(
  entries: readonly SpentSecond[],
  kinds: readonly RequestKind[],
  most: number,
): { left: number; freeAtMs: number } {
  const used = (entry: SpentSecond) => kinds.reduce((sum, kind) => sum + entry[kind], 0)
  const total = entries.reduce((sum, entry) => sum + used(entry), 0)
  let over = total - most
  if (over < 0) return { left: -over, freeAtMs: 0 }
  for (const entry of entries) {
    over -= used(entry)
    if (over < 0) return { left: 0, freeAtMs: freeOf(entry) }
  }
  return { left: 0, freeAtMs: 0 }
}

/** What is left of the budget beside what re-reading may still need, and what is free again when; the soonest first. */
export function newsAhead(
  state: BudgetState,
  nowMs: number,
): { left: number; freed: { inMs: number; requests: number }[] } {
  const inWindow = state.spent.filter(entry => counts(entry, nowMs))
  const spent = inWindow.reduce((sum, { news, sweep }) => sum + news + sweep, 0)
  return {
    left: budgetOf(state.limit) - sideBudgetOf(state.limit) - spent,
    freed: inWindow.map(entry => ({ inMs: freeOf(entry) - nowMs, requests: entry.news + entry.sweep })),
  }
}

const count = z.number().int().nonnegative()

/** What a run leaves to the next one, so that runs in a row spend one budget: a few hundred bytes of JSON. */
export const budgetSnapshotSchema = z.object({
  limit: z.number().positive(),
  notBeforeMs: z.number(),
  /** `[lastMs, news, reread, sweep]` of a second each, oldest first. */
  spent: z.array(z.tuple([z.number().int(), count, count, count])).max(2 * (windowMs / 1000) + 2),
})
export type BudgetSnapshot = z.infer<typeof budgetSnapshotSchema>

export function snapshot(state: BudgetState, nowMs: number): BudgetSnapshot {
  const { limit, notBeforeMs } = state
  const spent = state.spent
    .filter(entry => counts(entry, nowMs))
    .map(({ lastMs, news, reread, sweep }): BudgetSnapshot['spent'][number] => [lastMs, news, reread, sweep])
  return { limit, notBeforeMs, spent }
}

/** The budget that a run left, under the limit configured now. */
export function restore(requestsPerMinute: number, left: BudgetSnapshot): BudgetState {
  const spent = left.spent.map(([lastMs, news, reread, sweep]) => ({ lastMs, news, reread, sweep }))
  return {
    requestsPerMinute,
    limit: Math.min(requestsPerMinute, left.limit),
    notBeforeMs: left.notBeforeMs,
    spent,
  }
}
