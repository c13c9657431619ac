import type { Clock } from '../../../shared/domain/clock.ts'

/**
 * When a group counts as noisy (Amazon SQS Developer Guide, "How Amazon SQS fair queues work"): it has more than a tenth
 * of the messages in flight and at least 30 of them, or more than a tenth of the consumers' time of late. The guide calls
 * these approximate, and does not say how long "of late" is.
 */
const noisyShare = 0.1
const noisyInFlightMin = 30
const timeHalvedMs = 60_000
/** Or until it has nothing waiting any more (same page). */
const quietAfterMs = 300_000

export type QueuedMessage = { body: string; group: string; sentAtMs: number }
export type HandedOut = QueuedMessage & { receiptHandle: string }

/** A standard queue by the clock of a model, with fair-queue groups or without. */
export type FairQueue = {
  send(message: { body: string; group: string; delayMs: number }): void
  /** At most `max` of what is visible now. */
  receive(max: number): HandedOut[]
  delete(receiptHandle: string): void
  /** Resolves when something becomes visible. */
  visible(): Promise<void>
  depth(): number
}

type Group = {
  waiting: QueuedMessage[]
  inFlight: number
  isNoisy: boolean
  lastSentAtMs: number
  /** Time that consumers had its messages, up to `sinceMs`; what is older counts less and less. */
  usedMs: number
  sinceMs: number
}

export const createFairQueue = (of: { clock: Clock; isFair: boolean }): FairQueue => {
  const { clock } = of
  const groups = new Map<string, Group>()
  const inFlight = new Map<string, string>()
  let receipts = 0
  let arrival = Promise.withResolvers<void>()

  const groupOf = (name: string): Group => {
    const known = groups.get(name)
    if (known !== undefined) return known
    const group = { waiting: [], inFlight: 0, isNoisy: false, lastSentAtMs: 0, usedMs: 0, sinceMs: 0 }
    groups.set(name, group)
    return group
  }
  const put = (message: QueuedMessage): void => {
    groupOf(message.group).waiting.push(message)
    arrival.resolve()
    arrival = Promise.withResolvers<void>()
  }
  const total = { usedMs: 0, sinceMs: 0 }
  const count = (name: string, change: 1 | -1): void => {
    const group = groupOf(name)
    advance(total, inFlight.size, clock.now())
    advance(group, group.inFlight, clock.now())
    group.inFlight += change
  }
  const judge = (group: Group): void => {
    const nowMs = clock.now()
    advance(total, inFlight.size, nowMs)
    advance(group, group.inFlight, nowMs)
    const isCrowding = group.inFlight >= noisyInFlightMin && group.inFlight > noisyShare * inFlight.size
    if (isCrowding || group.usedMs > noisyShare * total.usedMs) group.isNoisy = true
    if (nowMs - group.lastSentAtMs >= quietAfterMs) group.isNoisy = false
  }
  /** Of quiet groups the oldest message; else that of the noisy group that has the fewest in flight. */
  const next = (): Group | null => {
    let best: Group | null = null
    for (const group of groups.values()) {
      if (group.waiting.length === 0) group.isNoisy = false
      else if (best === null || isSooner(group, best)) best = group
    }
    return best
  }

  return {
    send: ({ body, group, delayMs }) => {
      groupOf(group).lastSentAtMs = clock.now()
      if (delayMs <= 0) return put({ body, group, sentAtMs: clock.now() })
      void clock.sleep(delayMs).then(() => put({ body, group, sentAtMs: clock.now() }))
    },
    receive: max => {
      const taken: HandedOut[] = []
      if (of.isFair) for (const group of groups.values()) if (group.waiting.length > 0) judge(group)
      while (taken.length < max) {
        const message = next()?.waiting.shift()
        if (message === undefined) break
        receipts += 1
        const receiptHandle = String(receipts)
        count(message.group, 1)
        inFlight.set(receiptHandle, message.group)
        taken.push({ ...message, receiptHandle })
      }
      return taken
    },
    delete: receiptHandle => {
      const group = inFlight.get(receiptHandle)
      if (group === undefined) return
      count(group, -1)
      inFlight.delete(receiptHandle)
    },
    visible: () => arrival.promise,
    depth: () => [...groups.values()].reduce((sum, { waiting }) => sum + waiting.length, 0),
  }
}

const advance = (of: { usedMs: number; sinceMs: number }, inFlight: number, nowMs: number): void => {
  const passedMs = nowMs - of.sinceMs
  of.usedMs = of.usedMs * 0.5 ** (passedMs / timeHalvedMs) + inFlight * passedMs
  of.sinceMs = nowMs
}

const isSooner = (one: Group, other: Group): boolean => {
  if (one.isNoisy !== other.isNoisy) return !one.isNoisy
  if (one.isNoisy && one.inFlight !== other.inFlight) return one.inFlight < other.inFlight
  return (one.waiting[0]?.sentAtMs ?? 0) < (other.waiting[0]?.sentAtMs ?? 0)
}
