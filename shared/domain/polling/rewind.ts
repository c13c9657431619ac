import type { StreamName } from '../source.ts'
import { anchorBefore } from './anchors-in-log.ts'
import type { Cursor, CursorStore } from './cursor.ts'
import type { EventLog } from './event-log.ts'
import type { Anchor } from './walk-state.ts'

/** A poller commits a page at a time: so often in a row it does not come first. */
const triesMax = 10

export type RewindResult =
  /** `from`, `to`: the anchors; null is the start of the list. `floorSecond`: what holds from now on. */
  | { kind: 'rewound'; from: Anchor | null; to: Anchor | null; floorSecond: number; floorWasSecond: number }
  /** The cursor stands there already, or before it. */
  | { kind: 'nothing_to_do'; anchor: Anchor | null }
  /** Nobody knows yet where the stream begins. */
  | { kind: 'not_started' }
  /** Nothing before the floor was ever to be sent. */
  | { kind: 'before_floor'; floorSecond: number }
  /** The poller moved the cursor each time. */
  | { kind: 'busy' }

export type RewindDeps = { cursors: CursorStore; log: EventLog }

/**
 * Moves the reading of a stream back, so that every record from `toSecond` on is read again. The log drops what was
 * sent, so that only what was missed is. The new anchor is a record of the log from before that second: what the service
 * lists after it includes all from then on (an anchor that the service has lost meanwhile is dealt with as ever); with
 * none, the whole list is read. The cursor moves by compare-and-set, so that a poller that runs goes on from there. The
 * floor moves only where `lowerFloor` says so: a start at `latest` left out the past on purpose.
 */
export const rewind = async (
  of: { sourceId: string; stream: StreamName; toSecond: number; lowerFloor: boolean; isDryRun: boolean },
  { cursors, log }: RewindDeps,
): Promise<RewindResult> => {
  const { sourceId, stream, toSecond } = of
  const key = { sourceId, stream, name: 'main' } as const
  for (let tries = 0; tries < triesMax; tries += 1) {
    const found = await cursors.read(key)
    const cursor = found?.cursor
    const floorWasSecond = cursor?.floorSecond ?? null
    if (found === null || cursor === undefined || floorWasSecond === null) return { kind: 'not_started' }
    const isBeforeFloor = toSecond < floorWasSecond
    if (isBeforeFloor && !of.lowerFloor) return { kind: 'before_floor', floorSecond: floorWasSecond }
    const floorSecond = Math.min(floorWasSecond, toSecond)
    const from = cursor.anchor
    const to = await anchorBefore(log, { sourceId, stream }, toSecond)
    const isThere = from === null || from.second < toSecond
    // A walk under way may be past that second; it begins anew then.
    if (isThere && !isBeforeFloor && cursor.place === null) return { kind: 'nothing_to_do', anchor: from }
    const rewound = { kind: 'rewound', from, to: isThere ? from : to, floorSecond, floorWasSecond } as const
    if (of.isDryRun) return rewound
    const next: Cursor = { ...cursor, anchor: rewound.to, floorSecond, place: null, anchorsLost: 0 }
    if ((await cursors.commit(key, next, found.version)) === 'committed') return rewound
  }
  return { kind: 'busy' }
}
