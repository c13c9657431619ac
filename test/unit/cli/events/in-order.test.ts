import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { inOrder } from '../../../../infra/cli/events/in-order.ts'
import type { Page, PageQuery } from '../../../../shared/adapters/dynamodb/event-pages.ts'
import { eventDay, eventId } from '../../../../shared/domain/feedback/event-id.ts'

/** 2026-11-20T00:00:00Z */
const start = 1_795_132_800
const idAt = (second: number, uuid: string): string =>
  eventId({ sourceId: 'main', stream: 'bounces', uuid, second: start + second })

const allOf = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

/** Partitions in memory, with pages of so many ids, some of them empty. */
const paged = (parts: readonly (readonly string[])[], pageSize: number) => {
  const asked: string[] = []
  const page = async (part: number, query: PageQuery): Promise<Page<string>> => {
    asked.push(query.day)
    const { order, after, fromId, toId } = query
    const ids = (parts[part] ?? [])
      .filter(id => eventDay(id) === query.day && id >= fromId && id <= toId)
      .sort()
    if (order === 'newest') ids.reverse()
    const rest = ids.filter(id => after === null || (order === 'oldest' ? id > after : id < after))
    const items = rest.slice(0, pageSize)
    return { items, after: rest.length > pageSize ? (items.at(-1) ?? null) : null }
  }
  return { page, asked }
}

const read = async (of: {
  parts: readonly (readonly string[])[]
  from: number
  to: number
  order: 'oldest' | 'newest'
  pageSize?: number
}) => {
  const { page, asked } = paged(of.parts, of.pageSize ?? 2)
  const ids = await allOf(
    inOrder<number, string>({
      parts: of.parts.map((_, at) => at),
      range: { fromSecond: start + of.from, toSecond: start + of.to },
      order: of.order,
      idOf: id => id,
      page,
    }),
  )
  return { ids, asked }
}

describe('what lies in several partitions', () => {
  test('comes in the order of its ids over days and partitions, each once, whatever the pages', async () => {
    const seconds = fc.array(fc.integer({ min: 0, max: 3 * 86_400 }), { maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(
        fc.array(seconds, { maxLength: 4 }),
        fc.constantFrom('oldest' as const, 'newest' as const),
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.integer({ min: 0, max: 3 * 86_400 }), { minLength: 2, maxLength: 2 }),
        async (partSeconds, order, pageSize, [from = 0, to = 0]) => {
          const parts = partSeconds.map((of, part) => of.map((second, at) => idAt(second, `${part}-${at}`)))
          const wanted = partSeconds
            .flatMap((of, part) => of.map((second, at) => ({ second, id: idAt(second, `${part}-${at}`) })))
            .filter(({ second }) => second >= from && second <= to)
            .map(({ id }) => id)
            .sort()
          const { ids } = await read({ parts, from, to, order, pageSize })
          expect(ids).toEqual(order === 'oldest' ? wanted : wanted.toReversed())
        },
      ),
      { numRuns: 100 },
    )
  })

  test('is asked for a day at a time, and only as far as somebody reads', async () => {
    const parts = [[idAt(0, 'a'), idAt(86_400, 'b'), idAt(2 * 86_400, 'c')]]
    const { page, asked } = paged(parts, 10)
    const range = { fromSecond: start, toSecond: start + 2 * 86_400 }
    for await (const id of inOrder({ parts: [0], range, order: 'newest', idOf: (id: string) => id, page })) {
      expect(id).toBe(idAt(2 * 86_400, 'c'))
      break
    }
    expect(asked).toEqual(['2026-11-22'])
  })

  test('is nothing where the range is empty', async () => {
    expect(await read({ parts: [[idAt(5, 'a')]], from: 9, to: 5, order: 'oldest' })).toEqual({
      ids: [],
      asked: [],
    })
  })

  test('goes on behind a page that is empty and not the last', async () => {
    const pages: Page<string>[] = [
      { items: [], after: idAt(1, 'x') },
      { items: [idAt(2, 'a')], after: null },
    ]
    const ids = await allOf(
      inOrder({
        parts: [0],
        range: { fromSecond: start, toSecond: start + 9 },
        order: 'oldest',
        idOf: (id: string) => id,
        page: async () => pages.shift() ?? { items: [], after: null },
      }),
    )
    expect(ids).toEqual([idAt(2, 'a')])
  })
})
