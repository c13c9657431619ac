import type { Clock } from '../../../shared/domain/clock.ts'

export type VirtualClock = Clock & {
  /** Lets everything happen that happens before `untilMs`, in its order, without waiting for it. */
  runUntil(untilMs: number): Promise<void>
}

type Timer = { atMs: number; nth: number; wake: () => void }

/** A clock that jumps from one wake-up to the next: hours of a model take as long as its work. */
export const createVirtualClock = (startMs: number): VirtualClock => {
  const timers = createTimerHeap()
  let nowMs = startMs
  let count = 0
  return {
    now: () => nowMs,
    sleep: (ms, signal) =>
      new Promise(resolve => {
        if (signal?.aborted === true) return resolve()
        count += 1
        timers.add({ atMs: nowMs + Math.max(0, ms), nth: count, wake: resolve })
        // The timer stays where it is, and wakes nobody.
        signal?.addEventListener('abort', () => resolve(), { once: true })
      }),
    runUntil: async untilMs => {
      await settled()
      for (let next = timers.peek(); next !== undefined && next.atMs < untilMs; next = timers.peek()) {
        nowMs = next.atMs
        for (let due = timers.peek(); due !== undefined && due.atMs <= nowMs; due = timers.peek()) {
          timers.take()
          due.wake()
        }
        await settled()
      }
      nowMs = untilMs
    },
  }
}

/** Until nothing more happens by itself: nothing in a model waits for anything but its clock. */
const settled = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

const isBefore = (one: Timer, other: Timer): boolean =>
  one.atMs < other.atMs || (one.atMs === other.atMs && one.nth < other.nth)

/** The earliest timer first; of one moment, in the order in which they were set. */
const createTimerHeap = () => {
  const heap: Timer[] = []
  const swapIfBefore = (child: number, parent: number): boolean => {
    const [one, other] = [heap[child], heap[parent]]
    if (one === undefined || other === undefined || !isBefore(one, other)) return false
    heap[child] = other
    heap[parent] = one
    return true
  }
  const sink = (): void => {
    for (let at = 0; ; ) {
      const [left, right] = [heap[2 * at + 1], heap[2 * at + 2]]
      if (left === undefined) return
      const child = right !== undefined && isBefore(right, left) ? 2 * at + 2 : 2 * at + 1
      if (!swapIfBefore(child, at)) return
      at = child
    }
  }
  return {
    peek: (): Timer | undefined => heap[0],
    add: (timer: Timer): void => {
      heap.push(timer)
      for (let at = heap.length - 1; at > 0; ) {
        const parent = (at - 1) >> 1
        if (!swapIfBefore(at, parent)) return
        at = parent
      }
    },
    take: (): void => {
      const last = heap.pop()
      if (last === undefined || heap.length === 0) return
      heap[0] = last
      sink()
    },
  }
}
