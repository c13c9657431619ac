/** Something that happens at a time; what happens at the same time happens in the order in which it was put. */
export type Event = {
  atMs: number
  order: number
  /** Taken back: it happens no more, and is no step. */
  cancelled: boolean
  act: () => void
}

export type EventHeap = {
  put(atMs: number, act: () => void): Event
  /** When the next event is due; null where there is none. */
  nextAtMs(): number | null
  take(): Event | null
}

/** A binary heap: a run has some thousand events, most of them a few milliseconds ahead. */
export const createEventHeap = (): EventHeap => {
  const heap: Event[] = []
  let puts = 0

  const isBefore = (one: Event, other: Event): boolean =>
    one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order)

  const swap = (at: number, other: number): void => {
    const [one, two] = [heap[at], heap[other]]
    if (one === undefined || two === undefined) return
    heap[at] = two
    heap[other] = one
  }
  const isLess = (at: number, other: number): boolean => {
    const [one, two] = [heap[at], heap[other]]
    return one !== undefined && two !== undefined && isBefore(one, two)
  }
  const up = (from: number): void => {
    for (let at = from; at > 0; ) {
      const parent = (at - 1) >> 1
      if (!isLess(at, parent)) return
      swap(at, parent)
      at = parent
    }
  }
  const down = (): void => {
    for (let at = 0; ; ) {
      let least = at
      for (const child of [2 * at + 1, 2 * at + 2]) if (isLess(child, least)) least = child
      if (least === at) return
      swap(at, least)
      at = least
    }
  }
  const removeFirst = (): Event | null => {
    const first = heap[0]
    const last = heap.pop()
    if (first === undefined || last === undefined) return null
    if (heap.length > 0) {
      heap[0] = last
      down()
    }
    return first
  }
  const dropCancelled = (): void => {
    while (heap[0]?.cancelled === true) removeFirst()
  }

  return {
    put: (atMs, act) => {
      const event = { atMs, order: puts, cancelled: false, act }
      puts += 1
      heap.push(event)
      up(heap.length - 1)
      return event
    },
    nextAtMs: () => {
      dropCancelled()
      return heap[0]?.atMs ?? null
    },
    take: () => {
      dropCancelled()
      return removeFirst()
    },
  }
}
