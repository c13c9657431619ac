import type { PageRequest } from '../../domain/polling/feedback-api.ts'

export type QuerySettings = {
  includeSoft: boolean
  /** Sent as `page_size` only where it is set: the parameter is not in the specification. */
  pageSize: number | null
}

/**
 * The query of a page (feedback-api.md, section 4). What a `next` says is sent as it says it, byte for byte: its
 * cursor is the service's business. Settings it lost are added, for a page without them is one of another list; one
 * that it changed is left. `last_id` is not added: next to a cursor of the service it could lead back to the first page.
 */
export function pageQuery(request: PageRequest, settings: QuerySettings): string {
  const ours = new URLSearchParams({ order: request.order })
  if (request.stream === 'bounces' && settings.includeSoft) ours.set('include_soft', '1')
  if (settings.pageSize !== null) ours.set('page_size', String(settings.pageSize))
  if (request.nextQuery === null) {
    if (request.lastId !== null) ours.set('last_id', request.lastId)
    return ours.toString()
  }
  const theirs = request.nextQuery.replace(/^\?/, '').replace(/#.*$/s, '')
  const said = new URLSearchParams(theirs)
  for (const name of said.keys()) ours.delete(name)
  return [theirs, ours.toString()].filter(part => part !== '').join('&')
}
