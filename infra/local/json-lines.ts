import type { Writable } from 'node:stream'
import type { Clock } from '../../shared/domain/clock.ts'
import type { Happening, Reporter } from '../../shared/domain/happenings.ts'
import { createBell } from './bell.ts'

/** Text that may wait for the reader of stdout; beyond it nothing more is taken in hand until it has read. */
export const pendingCharsMax = 1024 * 1024

/** The fields that every line has; null where they say nothing of this kind of happening. */
const common = { event: null, endpoint: null, attempt: null, status: null, reason: null }

/** A happening as its lines: `enqueued` is one for each endpoint of the event, or one with none. */
const linesOf = (happening: Happening, atMs: number): object[] => {
  const line = { at: new Date(atMs).toISOString(), kind: happening.kind, ...common }
  if (happening.kind !== 'enqueued') return [{ ...line, ...happening }]
  const { endpoints, ...rest } = happening
  const each: readonly (string | null)[] = endpoints.length === 0 ? [null] : endpoints
  return each.map(endpoint => ({ ...line, ...rest, endpoint }))
}

export type JsonLines = Reporter & {
  /** Resolves when the reader has caught up enough to take more. */
  admission(): Promise<void>
  /** Resolves when everything is handed over, or the reader is gone. */
  flush(): Promise<void>
}

/**
 * One JSON object a line for each thing that happens. Lines are gathered and written once a turn of the event loop,
 * and a slow reader slows the bridge (by `admission`), not its memory.
 */
export const createJsonLines = (out: Writable, clock: Pick<Clock, 'now'>): JsonLines => {
  let gathered = ''
  let pending = 0
  let scheduled = false
  let isGone = false
  const change = createBell()

  const write = (): void => {
    scheduled = false
    const text = gathered
    gathered = ''
    out.write(text, error => {
      pending -= text.length
      if (error) isGone = true
      change.ring()
    })
  }
  const isFull = (): boolean => pending > pendingCharsMax && !isGone

  return {
    report: happening => {
      if (isGone) return
      for (const line of linesOf(happening, clock.now())) {
        const text = `${JSON.stringify(line)}\n`
        gathered += text
        pending += text.length
      }
      if (scheduled) return
      scheduled = true
      setImmediate(write)
    },
    admission: async () => {
      while (isFull()) await change.rung()
    },
    flush: async () => {
      while (pending > 0 && !isGone) await change.rung()
    },
  }
}
