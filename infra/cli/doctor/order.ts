import { type Check, type Found, ok, skipped, warning } from './check.ts'
import type { Answered, StreamProbe } from './probe-source.ts'

/** Each list comes oldest first, as was asked for. */
export const orderCheck: Check = {
  name: 'order',
  run: async ({ sources, probe }) => {
    const found = sources.map(async source =>
      (await probe(source)).map(stream => findingOf(`${source.id}, ${stream.stream}`, stream)),
    )
    return (await Promise.all(found)).flat()
  },
}

/** Null where all records are of one second, or there are none. */
export const isAscending = ({ anchors }: Pick<Answered, 'anchors'>): boolean | null => {
  const seconds = anchors.map(({ second }) => second)
  if (new Set(seconds).size < 2) return null
  return seconds.every((second, at) => at === 0 || second >= (seconds[at - 1] ?? second))
}

const findingOf = (of: string, { first }: StreamProbe): Found => {
  if (first.kind === 'failed') return skipped(of, 'the list did not answer')
  const ascending = isAscending(first)
  if (ascending === null) return skipped(of, 'too few records to tell')
  if (ascending) return ok(of, 'oldest first, as asked for')
  const mend =
    'Nothing is lost, but each walk takes more requests: a larger page saves some (source update --page-size).'
  return warning(of, 'order=asc is ignored', mend)
}
