import { describe, expect, it } from 'vitest'
import { pageQuery } from '../../../shared/adapters/feedback-api/query.ts'

const plain = { includeSoft: false, pageSize: null }
const first = { stream: 'bounces', order: 'asc', lastId: null, nextQuery: null } as const

describe('the query of a page', () => {
  it('always names the order', () => {
    expect(pageQuery(first, plain)).toBe('order=asc')
    expect(pageQuery({ ...first, stream: 'complaints', order: 'desc' }, plain)).toBe('order=desc')
  })

  it('names last_id where there is one', () => {
    expect(pageQuery({ ...first, lastId: 'a&b' }, plain)).toBe('order=asc&last_id=a%26b')
  })

  it('names include_soft on bounces only, and page_size only where it is set', () => {
    const settings = { includeSoft: true, pageSize: 1000 }
    expect(pageQuery(first, settings)).toBe('order=asc&include_soft=1&page_size=1000')
    expect(pageQuery({ ...first, stream: 'complaints' }, settings)).toBe('order=asc&page_size=1000')
  })

  it('is that of next, byte for byte, where next has all of ours', () => {
    const nextQuery = 'cursor=a%2Bb+c%20d==&order=asc&include_soft=1&page_size=10&last_id=x'
    expect(pageQuery({ ...first, nextQuery }, { includeSoft: true, pageSize: 10 })).toBe(nextQuery)
    expect(pageQuery({ ...first, nextQuery: `?${nextQuery}#top` }, { includeSoft: true, pageSize: 10 })).toBe(
      nextQuery,
    )
  })

  it('adds the settings that next lost', () => {
    expect(pageQuery({ ...first, nextQuery: 'page=2' }, { includeSoft: true, pageSize: 10 })).toBe(
      'page=2&order=asc&include_soft=1&page_size=10',
    )
    expect(pageQuery({ ...first, nextQuery: '' }, plain)).toBe('order=asc')
  })

  it('never overrides what next says', () => {
    const nextQuery = 'order=desc&include_soft=0&page_size=5&page=3'
    expect(pageQuery({ ...first, nextQuery }, { includeSoft: true, pageSize: 10 })).toBe(nextQuery)
  })

  it('adds no last_id to a next: it could lead back to the first page', () => {
    expect(pageQuery({ ...first, lastId: 'anchor', nextQuery: 'cursor=c' }, plain)).toBe('cursor=c&order=asc')
  })
})
