import type { Clock } from '../clock.ts'
import type { Reporter } from '../happenings.ts'
import type { StreamName } from '../source.ts'
import { minuteMs } from '../time-units.ts'
import type { CursorStore } from './cursor.ts'

export type StreamStateDeps = { cursors: CursorStore; clock: Clock; reporter: Reporter }

type StreamState = {
  sourceId: string
  stream: StreamName
  /** Of the last complete walk that this process saw; null where it saw none. */
  lastCompleteAtMs: number | null
  /** When the source was first polled: where there never was a complete walk, the time counts from here. */
  firstTakenAtMs: number
}

/** A walk that this process saw so lately needs no look at what other processes saw. */
const recentMs = minuteMs

/** Tells how long ago a walk of the stream was last complete: what an alarm needs, above all where nothing works. */
export const reportStreamState = async (state: StreamState, deps: StreamStateDeps): Promise<void> => {
  const { sourceId, stream, lastCompleteAtMs, firstTakenAtMs } = state
  const nowMs = deps.clock.now()
  const isRecent = lastCompleteAtMs !== null && nowMs - lastCompleteAtMs < recentMs
  const byOthersMs = isRecent ? null : await lastCompleteInTable(state, deps)
  const known = [lastCompleteAtMs, byOthersMs].filter(atMs => atMs !== null)
  deps.reporter.report({
    kind: 'stream_state',
    source: sourceId,
    stream,
    sinceCompleteWalkSeconds: Math.max(0, (nowMs - Math.max(...known, firstTakenAtMs)) / 1_000),
    everComplete: known.length > 0,
  })
}

/** Null also where the table can't be asked or the cursor not be read: the polls tell of it. */
const lastCompleteInTable = async (
  { sourceId, stream }: StreamState,
  { cursors }: StreamStateDeps,
): Promise<number | null> => {
  try {
    const found = await cursors.read({ sourceId, stream, name: 'main' })
    return found?.cursor.lastCompleteWalkAtMs ?? null
  } catch {
    return null
  }
}
