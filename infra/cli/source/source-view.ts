import type { Cursor } from '../../../shared/domain/polling/cursor.ts'
import type { Source, StreamName } from '../../../shared/domain/source.ts'
import { streamNames } from '../../../shared/domain/source.ts'
import { isoOfSecond, isoOrNull } from '../output/moments.ts'
import type { OperatorBridge } from '../target/operator-bridge.ts'

/** A source with where the reading of its streams stands; null where it was never polled. */
export type SourceView = { source: Source; cursors: Readonly<Record<StreamName, Cursor | null>> }

export const viewSource = async ({ cursors }: OperatorBridge, source: Source): Promise<SourceView> => {
  const read = async (stream: StreamName): Promise<Cursor | null> =>
    (await cursors.read({ sourceId: source.id, stream, name: 'main' }))?.cursor ?? null
  const [bounces, complaints] = await Promise.all([read('bounces'), read('complaints')])
  return { source, cursors: { bounces, complaints } }
}

/** What `--json` shows of a source: documented in infra/cli/README.md, and only ever added to. */
export const sourceJson = ({ source, cursors }: SourceView) => ({
  id: source.id,
  state: source.state,
  baseUrl: source.baseUrl,
  pathPrefix: source.pathPrefix,
  authScheme: source.authScheme,
  includeSoft: source.includeSoft,
  pageSize: source.pageSize,
  startAt: source.startAt.kind === 'time' ? isoOfSecond(source.startAt.second) : source.startAt.kind,
  pollEverySeconds: source.pollEverySeconds,
  overlapSeconds: source.overlapSeconds,
  requestsPerMinute: source.requestsPerMinute,
  streams: streamNames.map(stream => ({ stream, ...streamJson(cursors[stream]) })),
})

const streamJson = (cursor: Cursor | null) => ({
  started: cursor !== null && cursor.floorSecond !== null,
  /** No record before it is ever sent. */
  floor: isoOfSecond(cursor?.floorSecond ?? null),
  /** Everything before it has been read. */
  anchor: isoOfSecond(cursor?.anchor?.second ?? null),
  newestRecord: isoOfSecond(cursor?.newest?.second ?? null),
  lastCompleteWalk: isoOrNull(cursor?.lastCompleteWalkAtMs ?? null),
  walkUnderWay: (cursor?.place ?? null) !== null,
})
