import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { UnreadablePage } from '../../../shared/adapters/feedback-api/errors.ts'
import { createMask } from '../../../shared/adapters/feedback-api/mask.ts'
import { readPage } from '../../../shared/adapters/feedback-api/page.ts'
import { bounceRecordSchema, typedPage } from '../../../shared/adapters/feedback-api/records.ts'
import { buildEvent } from '../../../shared/domain/event/build-event.ts'
import { eventId, eventSecond } from '../../../shared/domain/feedback/event-id.ts'
import { readRecord } from '../../../shared/domain/feedback/read-record.ts'
import { answerOf, where } from '../feedback-api/answers.ts'
import { depthMax, inherited, nestedText } from './hostile-json.ts'
import { envelopeText, pageBytes, recordText } from './hostile-pages.ts'
import { nowSecond } from './hostile-times.ts'
import { markers, markersIn, wordsOfError } from './markers.ts'

const mask = createMask([markers.token])
const runs = { numRuns: 400 }

const pageOf = (bytes: Buffer) => {
  const text = new TextDecoder().decode(bytes)
  try {
    return { page: readPage(answerOf(200, text), where, mask), error: null }
  } catch (error) {
    return { page: null, error }
  }
}

/** Not compared where it is deeper than any stack: the comparison would end, not what is tested. */
const isShallow = (text: string): boolean => !text.includes('[[[[[[[[') && !text.includes('{"a":{"a":{"a":{')

describe('any bytes of an answer', () => {
  test('are a page, each record of it verbatim, or one named error that tells no marker', () => {
    const before = inherited()
    let pages = 0
    fc.assert(
      fc.property(pageBytes, bytes => {
        const { page, error } = pageOf(bytes)
        if (page === null) {
          expect(error).toBeInstanceOf(UnreadablePage)
          expect(markersIn(wordsOfError(error))).toEqual([])
          return
        }
        pages += 1
        for (const { text, value } of page.records) {
          if (isShallow(text)) expect(isDeepStrictEqual(JSON.parse(text), value), text).toBe(true)
          else expect(() => JSON.parse(text)).not.toThrow()
        }
        expect(typeof page.next === 'string' || page.next === null).toBe(true)
        expect(typedPage(page, bounceRecordSchema).records).toHaveLength(page.records.length)
      }),
      runs,
    )
    expect(inherited()).toEqual(before)
    expect(pages).toBeGreaterThan(runs.numRuns / 10)
  }, 30_000)

  test('that JSON reads as an envelope with a list are a page with as many records, in their order', () => {
    fc.assert(
      fc.property(envelopeText, text => {
        const { page } = pageOf(Buffer.from(text))
        const parsed: unknown = JSON.parse(text)
        const rows = Object.getOwnPropertyDescriptor(parsed, 'results')?.value
        const next = Object.getOwnPropertyDescriptor(parsed, 'next')?.value
        const isPage = Array.isArray(rows) && (typeof next === 'string' || next === null)
        expect([text.slice(0, 200), page?.records.length ?? null]).toEqual([
          text.slice(0, 200),
          isPage ? rows.length : null,
        ])
      }),
      runs,
    )
  }, 30_000)

  test('that break off or break the grammar are told by their place, never by what stands there', () => {
    const row = '{"uuid":"a","rcpt":"jo@a.io"}'
    fc.assert(
      fc.property(fc.nat(40), fc.constantFrom('', 'x', '\u0000', '}', '"', '\\', 'jo@a.io'), (at, put) => {
        const text = `{"results":[${row}],"next":null}`
        const { error } = pageOf(Buffer.from(`${text.slice(0, at)}${put}${put === '' ? '' : text.slice(at)}`))
        expect(wordsOfError(error)).not.toMatch(/jo@|a\.io|rcpt/)
      }),
      { numRuns: 300 },
    )
  })

  test('of a page with one record in thousands of levels, and of one with many records, take no time that counts', () => {
    const deep = `{"uuid":"deep","timelogged":${nowSecond},"x":${nestedText(depthMax * 10)}}`
    const many = Array.from({ length: 20_000 }, (_, at) => `{"uuid":"${at}","timelogged":${nowSecond}}`)
    const quotes = `{"uuid":"q","timelogged":${nowSecond},"x":"${'\\"'.repeat(200_000)}"}`
    const startedMs = performance.now()
    const { page } = pageOf(Buffer.from(`{"results":[${[deep, quotes, ...many].join()}],"next":null}`))
    const kinds = page?.records.map(raw => readRecord(raw).kind)
    expect([kinds?.length, kinds?.filter(kind => kind === 'unreadable').length]).toEqual([20_002, 2])
    expect(performance.now() - startedMs).toBeLessThan(5_000)
  })
})

describe('any record', () => {
  test('is an event with an id that holds its second and its own text, or has a reason', () => {
    const before = inherited()
    const kinds = new Set<string>()
    fc.assert(
      fc.property(recordText, fc.constantFrom('bounces', 'complaints'), (text, stream) => {
        const read = readRecord({ text, value: JSON.parse(text) })
        kinds.add(read.kind === 'record' ? 'record' : read.reason)
        if (read.kind === 'unreadable') return
        const { record } = read
        const event = buildEvent({ source: { id: 'main' }, stream, record })
        expect(eventSecond(event.id)).toBe(record.second)
        expect(event.id).toBe(eventId({ sourceId: 'main', stream, uuid: record.uuid, second: record.second }))
        expect(event.body.endsWith(`,"raw":${text}}}`)).toBe(true)
        const parsed: unknown = JSON.parse(event.body)
        expect(Object.keys(Object(parsed))).toEqual(['id', 'type', 'timestamp', 'data'])
      }),
      { numRuns: 1_000 },
    )
    expect(inherited()).toEqual(before)
    // Two of the deepest values in one record are larger than a record may be: seldom.
    kinds.delete('too_large')
    expect([...kinds].sort()).toEqual(['no_usable_time', 'no_uuid', 'not_an_object', 'record'])
  })

  test('has the same id in whatever order its keys stand, and in whatever unit its time is', () => {
    const fields = fc.dictionary(
      fc.string({ minLength: 1 }).filter(key => !['uuid', 'timelogged', '__proto__'].includes(key)),
      fc.jsonValue(),
    )
    fc.assert(
      fc.property(
        fc.uuid(),
        fc.integer({ min: 1e8, max: 4e9 }),
        fields,
        fc.nat(999),
        (uuid, second, others, ms) => {
          const offset = new Date((second + 5_400) * 1000).toISOString().replace(/\.\d+Z/, '+01:30')
          const zulu = new Date(second * 1000).toISOString()
          const ids = [
            ...[
              second,
              `${second}`,
              `${second}.${ms}99999999999`,
              second * 1000 + ms,
              `${second * 1000 + ms}`,
              ` ${second} `,
            ],
            ...[zulu, offset, zulu.replace('T', ' ').toLowerCase()],
          ].flatMap(timelogged =>
            [
              { uuid, timelogged, ...others },
              { ...others, timelogged, uuid },
            ].map(value => {
              const read = readRecord({ text: JSON.stringify(value), value })
              if (read.kind === 'unreadable') return read.reason
              return buildEvent({ source: { id: 'main' }, stream: 'bounces', record: read.record }).id
            }),
          )
          expect([...new Set(ids)]).toEqual([eventId({ sourceId: 'main', stream: 'bounces', uuid, second })])
        },
      ),
      { numRuns: 300 },
    )
  })
})
