/** A signal that is aborted after `ms`, unless cleared before. It keeps the process alive: somebody waits for it. */
export const startDeadline = (ms: number): { signal: AbortSignal; clear(): void } => {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(), ms)
  return { signal: controller.signal, clear: () => clearTimeout(timer) }
}

/** The promise, or `fault` once the signal is aborted, even where whoever makes the promise does not heed it. */
export const orAborted = <T>(promise: Promise<T>, signal: AbortSignal, fault: () => Error): Promise<T> =>
  new Promise((resolve, reject) => {
    const abort = () => reject(fault())
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
