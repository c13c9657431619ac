/** Splits into runs of at most `size`, in order. */
export const chunks = <T>(items: readonly T[], size: number): T[][] => {
  const result: T[][] = []
  for (let start = 0; start < items.length; start += size) result.push(items.slice(start, start + size))
  return result
}

/**
 * Runs `work` on every item, at most `concurrency` at once; results in the items' order. Rejects with the first
 * rejection, but only after what was running has ended: nothing goes on behind the caller's back.
 */
export const mapBounded = async <T, R>(
  items: readonly T[],
  concurrency: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> => {
  const results = new Map<number, R>()
  const queue = items.entries()
  const failures: unknown[] = []
  const worker = async () => {
    for (const [index, item] of queue) {
      if (failures.length > 0) return
      try {
        results.set(index, await work(item))
      } catch (error) {
        failures.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, worker))
  if (failures.length > 0) throw failures[0]
  return [...results.entries()].sort(([a], [b]) => a - b).map(([, result]) => result)
}
