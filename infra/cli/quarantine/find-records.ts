import type { QuarantineHead, QuarantinePages } from '../../../shared/adapters/dynamodb/quarantine-pages.ts'
import { forgottenRecordReason } from '../../../shared/domain/polling/quarantine.ts'
import { type StreamName, streamNames } from '../../../shared/domain/source.ts'
import { CommandError } from '../failures.ts'
import type { OperatorBridge } from '../target/operator-bridge.ts'

/** Which quarantined records are meant; null is any. Times are those of our clock when they were kept. */
export type Selection = {
  sourceId: string | null
  stream: StreamName | null
  hashPrefix: string
  reason: string | null
  fromMs: number
  toMs: number
}

export type FindDeps = {
  bridge: OperatorBridge
  pages: QuarantinePages
  onLooked?: (records: number) => void
}

/** The records that are meant, one after the other, by source, stream and hash; a page is in memory at a time. */
export async function* findRecords(selection: Selection, deps: FindDeps): AsyncGenerator<QuarantineHead> {
  const { hashPrefix } = selection
  const streams = streamNames.filter(stream => selection.stream === null || stream === selection.stream)
  for (const sourceId of await sourceIdsOf(selection, deps.bridge)) {
    for (const stream of streams) {
      let after: string | null = null
      do {
        const page: Awaited<ReturnType<QuarantinePages['page']>> = await deps.pages.page({
          sourceId,
          stream,
          hashPrefix,
          after,
        })
        deps.onLooked?.(page.heads.length)
        for (const head of page.heads) if (isMeant(head, selection)) yield head
        after = page.after
      } while (after !== null)
    }
  }
}

/** One that was removed may be named: what it left is still there. */
const sourceIdsOf = async (
  { sourceId }: Selection,
  { sources }: OperatorBridge,
): Promise<readonly string[]> => (sourceId === null ? (await sources.list()).map(({ id }) => id) : [sourceId])

const isMeant = ({ reason, atMs }: QuarantineHead, selection: Selection): boolean =>
  (selection.reason === null || reason === selection.reason || reason.startsWith(`${selection.reason}:`)) &&
  atMs >= selection.fromMs &&
  atMs <= selection.toMs

/** Without those that were forgotten: nothing is left of them but what makes them known when they are read again. */
export async function* notForgotten(heads: AsyncIterable<QuarantineHead>): AsyncGenerator<QuarantineHead> {
  for await (const head of heads) if (head.reason !== forgottenRecordReason) yield head
}

/** The one record whose hash begins so. Throws a `CommandError` where there is none, or more than one. */
export const findRecord = async (selection: Selection, deps: FindDeps): Promise<QuarantineHead> => {
  const found: QuarantineHead[] = []
  for await (const head of findRecords(selection, deps)) {
    found.push(head)
    if (found.length > 1) break
  }
  const [one, other] = found
  if (one === undefined) {
    throw new CommandError({
      code: 'record_missing',
      message: `there is no quarantined record ${selection.hashPrefix}`,
      hint: 'bridge quarantine list shows those that there are; of a source that was removed, with --source.',
    })
  }
  if (other === undefined) return one
  const places = found.map(({ sourceId, stream, hash }) => `${hash} (${sourceId}, ${stream})`)
  throw new CommandError({
    code: 'record_ambiguous',
    message: `more than one quarantined record begins with ${selection.hashPrefix}: ${places.join(', ')}, …`,
    hint: 'Give more of the hash, or --source and --stream.',
  })
}

/** The `count` newest of them, newest first; memory is bounded by `count`. */
export const newestRecords = async (
  heads: AsyncIterable<QuarantineHead>,
  count: number,
): Promise<QuarantineHead[]> => {
  let kept: QuarantineHead[] = []
  const trim = (): void => {
    kept = kept
      .sort((one, other) => other.atMs - one.atMs || (one.hash < other.hash ? -1 : 1))
      .slice(0, count)
  }
  for await (const head of heads) {
    kept.push(head)
    if (kept.length >= 2 * count) trim()
  }
  trim()
  return kept
}
