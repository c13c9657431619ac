import { describe, expect, it } from 'vitest'
import { cursorKey, fetchAsk, streamOf } from '../../../shared/domain/polling/stream-context.ts'
import type { Ask } from '../../../shared/domain/polling/walk-state.ts'
import { createStream, gateOf, pageOf } from './start-harness.ts'

const asked = async (ask: Ask) => {
  const { gate, asked } = gateOf(pageOf({}))
  await fetchAsk(gate, 'complaints', ask, { kind: 'sweep', backlog: true })
  return asked
}

describe('a page that a walk asks for', () => {
  const purpose = { kind: 'sweep', backlog: true }

  it.each<[string, Ask, { lastId: string | null; nextQuery: string | null }]>([
    ['a record', { kind: 'after', anchor: { uuid: 'one', second: 7 } }, { lastId: 'one', nextQuery: null }],
    ['nothing, the first one', { kind: 'after', anchor: null }, { lastId: null, nextQuery: null }],
    ['a page, by its `next`', { kind: 'next', query: 'page=2' }, { lastId: null, nextQuery: 'page=2' }],
  ])('is the one that follows %s, oldest first', async (_, ask, page) => {
    expect(await asked(ask)).toEqual([[{ stream: 'complaints', order: 'asc', ...page }, purpose]])
  })
})

describe('the name of a stream', () => {
  it('is that of its source and list, and its cursors have one more', () => {
    const { context } = createStream()
    expect(streamOf(context)).toEqual({ sourceId: 'main', stream: 'bounces' })
    const sweep = { sourceId: 'main', stream: 'bounces', name: 'sweep-hour' }
    expect(cursorKey(context, 'sweep-hour')).toEqual(sweep)
  })
})
