import { describe, expect, test } from 'vitest'
import { createOpening, interimAnswersMax, type Opening } from '../../../shared/adapters/webhook/opening.ts'

/** What is said of the last of these chunks; all before it must not be enough. */
const readAll = (chunks: readonly string[]): Opening => {
  const opening = createOpening()
  const said = chunks.map(chunk => opening(Buffer.from(chunk, 'latin1')))
  for (const early of said.slice(0, -1)) expect(early).toEqual({ kind: 'more' })
  return said.at(-1) ?? { kind: 'more' }
}
const answerOf = (chunks: readonly string[]): string => {
  const said = readAll(chunks)
  return said.kind === 'answer' ? said.bytes.toString('latin1') : said.kind
}
const interim = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'
const final = 'HTTP/1.1 204 No Content\r\n\r\n'

describe('before an answer', () => {
  test('nothing is passed over where it begins at once, and every byte of it is given on', () => {
    expect(answerOf([final])).toBe(final)
    expect(answerOf(['HTTP/1.0 200 OK\r\n\r\nbody'])).toBe('HTTP/1.0 200 OK\r\n\r\nbody')
  })

  test.each([
    'HTTP/1.1 100 Continue\r\n\r\n',
    'HTTP/1.0 100 \r\n\r\n',
    interim,
    interim + interim,
    '\r\n\r\n',
  ])('%j is passed over, in one chunk or byte by byte', before => {
    expect(answerOf([before + final])).toBe(final)
    const decided = [...before, ...final.slice(0, 12)]
    expect(answerOf(decided)).toBe(final.slice(0, 12))
  })

  test('as many interim answers as are allowed are passed over, and no more', () => {
    expect(answerOf([interim.repeat(interimAnswersMax) + final])).toBe(final)
    expect(readAll([interim.repeat(interimAnswersMax + 1)])).toEqual({
      kind: 'wrong',
      reason: 'interim_endless',
    })
  })

  test.each([
    ['HTTP/1.1 101 Switching\r\n', 'protocol_switch'],
    [`${interim}HTTP/1.1 101 Switching\r\n`, 'protocol_switch'],
    ['SSH-2.0', 'not_http'],
    ['HTTQ', 'not_http'],
    ['<', 'not_http'],
    [`${interim}<html>`, 'not_http'],
    ['\0\0\u0012\u0004\0\0\0\0\0', 'only_http2'],
    ['\0\0\u0012\u0000\0\0\0\0\u0001', 'not_http'],
    ['PRI * HTTP/2.0', 'only_http2'],
    ['PRINT', 'not_http'],
  ])('%j is %s, in one chunk or byte by byte', (bytes, reason) => {
    const wrong = { kind: 'wrong', reason }
    expect(readAll([bytes])).toEqual(wrong)
    const opening = createOpening()
    expect([...bytes].map(byte => opening(Buffer.from(byte, 'latin1')))).toContainEqual(wrong)
  })
})
