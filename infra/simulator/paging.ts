import * as z from 'zod'
import type { ListView, Place } from './list-view.ts'
import type { ServiceOptions } from './options.ts'

const placeSchema = z.object({
  second: z.int(),
  kind: z.enum(['generated', 'added']),
  number: z.int().min(0),
})
const cursorSchema = z.object({ kind: z.enum(['after', 'before']), place: placeSchema })

/** Where a page begins: by its number, or right after or before a record in the order shown. */
export type PagePlace = { kind: 'page'; page: number } | z.infer<typeof cursorSchema>

const encodeCursor = (cursor: z.infer<typeof cursorSchema>): string =>
  Buffer.from(JSON.stringify(cursor)).toString('base64url')

/** Null where the text is no cursor of ours. */
export const parseCursor = (text: string): z.infer<typeof cursorSchema> | null => {
  try {
    const parsed = cursorSchema.safeParse(JSON.parse(Buffer.from(text, 'base64url').toString()))
    return parsed.success ? parsed.data : null
  } catch {
    return null
  }
}

/** The parameter that leads to a neighbouring page. */
export type PageLink = { name: 'page' | 'cursor'; value: string }

export type PageOfPlaces = {
  /** All records of the list, not of the page. */
  count: number
  places: Place[]
  next: PageLink | null
  previous: PageLink | null
}

export type PageQuery = {
  order: 'asc' | 'desc'
  /** Only records from this rank on are in the list: those after `last_id`. */
  fromRank: number
  pageSize: number
  at: PagePlace
  style: ServiceOptions['next']
}

/** Cuts one page out of a list. A page beyond the end is empty and leads back to the last one. */
export const cutPage = (view: ListView, query: PageQuery): PageOfPlaces => {
  const { order, fromRank, pageSize, at, style } = query
  const count = Math.max(0, view.count - fromRank)
  const offset = offsetOf(view, query)
  const begin = Math.min(count, Math.max(0, offset))
  const end = Math.min(count, Math.max(begin, offset + pageSize))

  const places =
    order === 'asc'
      ? view.places(fromRank + begin, fromRank + end)
      : view.places(view.count - end, view.count - begin).reverse()

  const page = at.kind === 'page' ? at.page : Math.floor(begin / pageSize) + 1
  const lastPage = Math.max(1, Math.ceil(count / pageSize))
  const link = (kind: 'after' | 'before', place: Place | undefined, toPage: number): PageLink | null => {
    if (style === 'page' || place === undefined) return { name: 'page', value: String(toPage) }
    return { name: 'cursor', value: encodeCursor({ kind, place }) }
  }
  const hasPrevious = begin > 0 || (at.kind === 'page' && at.page > 1)
  return {
    count,
    places,
    next: end < count ? link('after', places.at(-1), page + 1) : null,
    previous: hasPrevious ? link('before', places[0], Math.max(1, Math.min(page - 1, lastPage))) : null,
  }
}

/** How many records of the list come before the page in the order shown; below 0 where the page is cut off there. */
const offsetOf = (view: ListView, query: PageQuery): number => {
  const { at, order, fromRank, pageSize } = query
  if (at.kind === 'page') return (at.page - 1) * pageSize
  const isAscending = order === 'asc'
  if (at.kind === 'after') {
    return isAscending
      ? Math.max(0, view.countThrough(at.place) - fromRank)
      : view.count - view.countBefore(at.place)
  }
  const before = isAscending
    ? view.countBefore(at.place) - fromRank
    : view.count - view.countThrough(at.place)
  return before - pageSize
}
