import { pageSizeMax, type ServiceOptions } from './options.ts'
import { type PagePlace, parseCursor } from './paging.ts'

export type ListQuery = {
  lastId: string | null
  order: 'asc' | 'desc'
  includeSoft: boolean
  pageSize: number
  at: PagePlace
}

type Parameter = 'last_id' | 'order' | 'include_soft' | 'page' | 'page_size' | 'cursor' | 'range'
export type QueryErrors = Partial<Record<Parameter | 'non_field_errors', string[]>>

export type QueryResult = { ok: true; query: ListQuery } | { ok: false; errors: QueryErrors }

/** Digits only; null where it is no whole number of at least 1. */
const readCount = (text: string): number | null => {
  const count = /^\d{1,9}$/.test(text) ? Number(text) : 0
  return count >= 1 ? count : null
}

/** Reads the parameters of a list (feedback-api.md, 4.1; field notes for the rest), saying all that is wrong. */
export const readListQuery = (
  parameters: URLSearchParams,
  options: ServiceOptions,
  honoursOrder: boolean,
): QueryResult => {
  const errors: QueryErrors = {}
  const { pageSize, at } = readPaging(parameters, options, errors)

  const orderText = honoursOrder ? parameters.get('order') : 'desc'
  const order = orderText ?? options.defaultOrder
  if (order !== 'asc' && order !== 'desc') errors.order = ['Must be asc or desc.']

  const softText = parameters.get('include_soft') ?? '0'
  if (softText !== '1' && softText !== '0') errors.include_soft = ['Must be 1, or left out.']

  const lastId = parameters.get('last_id')
  if (lastId === '') errors.last_id = ['Must be the uuid of a record.']

  if (Object.keys(errors).length > 0) return { ok: false, errors }
  const query: ListQuery = {
    lastId,
    order: order === 'asc' ? 'asc' : 'desc',
    includeSoft: softText === '1',
    pageSize,
    at,
  }
  return { ok: true, query }
}

/** `page`, `page_size` and `cursor`; adds what is wrong with them to `errors`. */
export const readPaging = (
  parameters: URLSearchParams,
  options: ServiceOptions,
  errors: QueryErrors,
): { pageSize: number; at: PagePlace } => {
  const sizeText = options.pageSizeParameter === 'honoured' ? parameters.get('page_size') : null
  const pageSize = sizeText === null ? options.pageSize : readCount(sizeText)
  if (pageSize === null || pageSize > pageSizeMax) {
    errors.page_size = [`Must be a whole number from 1 to ${pageSizeMax}.`]
  }

  const pageText = parameters.get('page')
  const page = pageText === null ? 1 : readCount(pageText)
  if (page === null) errors.page = ['Must be a whole number of at least 1.']

  const cursorText = parameters.get('cursor')
  const cursor = cursorText === null ? null : parseCursor(cursorText)
  if (cursorText !== null && cursor === null) errors.cursor = ['Is not one that this service gave.']
  if (cursorText !== null && pageText !== null) {
    errors.non_field_errors = ['page and cursor exclude each other.']
  }
  return { pageSize: pageSize ?? options.pageSize, at: cursor ?? { kind: 'page', page: page ?? 1 } }
}
