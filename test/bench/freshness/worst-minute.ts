const minuteMs = 60_000

/** The most requests within any 60 s, wherever these begin. `atMs` is in ascending order. */
export const worstMinute = (atMs: readonly number[]): number => {
  let oldest = 0
  let most = 0
  for (const [at, time] of atMs.entries()) {
    while ((atMs[oldest] ?? time) <= time - minuteMs) oldest += 1
    most = Math.max(most, at - oldest + 1)
  }
  return most
}
