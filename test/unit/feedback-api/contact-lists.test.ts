import { describe, expect, it } from 'vitest'
import { readContactLists } from '../../../shared/adapters/feedback-api/contact-lists.ts'
import { createMask } from '../../../shared/adapters/feedback-api/mask.ts'
import { answerOf, where } from './answers.ts'

const read = (body: string) => readContactLists(answerOf(200, body), where, createMask([]))

describe('the contacts lists', () => {
  it('are passed through as they come, in an envelope', () => {
    const body = { count: 1, next: null, results: [{ id: 7, name: 'News', odd: { a: [1] } }], extra: 'kept' }
    expect(read(JSON.stringify(body))).toEqual({
      serverDateMs: null,
      rateLimit: null,
      lists: body.results,
      envelope: body,
    })
  })

  it('are passed through as they come, in a bare array', () => {
    expect(read('[{"id":1}, "x"]')).toMatchObject({ lists: [{ id: 1 }, 'x'], envelope: null })
  })

  it.each(['{}', 'null', '{"results":{}}', '7'])('are an error for %s', body => {
    expect(() => read(body)).toThrow(/the page: expected an array, or an object with an array "results"/)
  })
})
