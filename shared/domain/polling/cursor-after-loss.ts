import { anchorAfterLoss, olderAnchorsMax } from './anchors-in-log.ts'
import type { Cursor } from './cursor.ts'
import { type StreamContext, streamOf } from './stream-context.ts'

/** The cursor set back after a loss: to an older anchor of the log, in the end to none. Nothing is sent twice. */
export const cursorAfterLoss = async (
  context: StreamContext,
  cursor: Cursor,
  { wasAnchor }: { wasAnchor: boolean },
): Promise<Cursor> => {
  const { anchor } = cursor
  // Only the place was lost: the anchor itself has still to be asked.
  if (!wasAnchor || anchor === null) return { ...cursor, place: null }
  const lost = Math.min(cursor.anchorsLost + 1, olderAnchorsMax + 1)
  const older = await anchorAfterLoss(context.log, streamOf(context), { anchor, lost })
  return { ...cursor, anchor: older, place: null, anchorsLost: lost }
}
