/** Longer than anything that a test waits for takes, slow tests apart. */
const patienceMsDefault = 60_000

/** Tells whoever waits that something happened in a test's world: a line, a request, an exit. */
export type Change = {
  ring(): void
  /** Resolves once `isTrue`, looked at after each change. Rejects with `what`, and how things stand, after a while. */
  until(what: string, isTrue: () => boolean, patienceMs?: number): Promise<void>
}

export const createChange = (state: () => string): Change => {
  const waiting = new Set<() => void>()
  return {
    ring: () => {
      for (const look of [...waiting]) look()
    },
    until: (what, isTrue, patienceMs = patienceMsDefault) =>
      new Promise((resolve, reject) => {
        const end = (): void => {
          waiting.delete(look)
          clearTimeout(timer)
        }
        const look = (): void => {
          try {
            if (!isTrue()) return
          } catch (error) {
            end()
            reject(error)
            return
          }
          end()
          resolve()
        }
        const timer = setTimeout(() => {
          end()
          reject(new Error(`waited ${patienceMs} ms in vain: ${what}\n${state()}`))
        }, patienceMs)
        waiting.add(look)
        look()
      }),
  }
}
