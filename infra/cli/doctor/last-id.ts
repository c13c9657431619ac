import { type Check, type Found, failed, ok, skipped, warning } from './check.ts'
import { isAscending } from './order.ts'
import type { StreamProbe } from './probe-source.ts'

/** What the service takes `last_id` for: a place in the list, or a time (feedback-api-field-notes.md, "last_id"). */
export const lastIdCheck: Check = {
  name: 'last_id',
  run: async ({ sources, probe }) => {
    const found = sources.map(async source =>
      (await probe(source)).map(stream => findingOf(`${source.id}, ${stream.stream}`, stream)),
    )
    return (await Promise.all(found)).flat()
  },
}

const findingOf = (of: string, { first, after }: StreamProbe): Found => {
  if (first.kind === 'failed') return skipped(of, 'the list did not answer')
  if (after === null) return skipped(of, 'no records to tell by')
  const { anchor, sibling, answer } = after
  if (answer.kind === 'failed') {
    const text = `the page after a record that was just shown: ${answer.error.message}`
    return failed(of, text, answer.error.hint)
  }
  // Newest first, a later record of the list is an earlier one.
  if (isAscending(first) === false) return skipped(of, 'the order is ignored, which hides it')
  const shown = new Set(answer.anchors.map(({ uuid }) => uuid))
  if (shown.has(anchor.uuid) || answer.anchors.some(({ second }) => second < anchor.second)) {
    const mend =
      'Nothing is lost, but each walk reads the whole list: ask the service why last_id has no effect.'
    return warning(of, 'is ignored: the page has what came before the record, too', mend)
  }
  if (sibling === null) return ok(of, 'is honoured; no two records of one second show which reading it has')
  return shown.has(sibling.uuid)
    ? ok(of, 'position: what comes after the record in the list')
    : ok(of, 'timelogged: what is of a later second than the record')
}
