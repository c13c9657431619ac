import fc from 'fast-check'
import { expect, test } from 'vitest'
import { answerText } from '../../../shared/adapters/webhook/answer-text.ts'
import { answerKeptBytesMax } from '../../../shared/domain/delivery/webhook-sender.ts'

test.each([
  ['plain text', 'ok, thänks 🎉', 'ok, thänks 🎉'],
  ['line ends and tabs', 'a\r\nb\tc', 'a  b c'],
  ['colours of a terminal', '\u001b[31mred\u0007', '?[31mred?'],
  ['characters that turn the direction of text', 'a\u202eb\u2066c', 'a?b?c'],
  ['line and paragraph separators', 'a\u2028b\u2029c', 'a?b?c'],
])('%s is kept harmless', (_what, text, expected) => {
  expect(answerText(Buffer.from(text))).toBe(expected)
})

test('a character that the bound cuts through is left out', () => {
  const bytes = Buffer.from(`${'x'.repeat(answerKeptBytesMax - 1)}é`)
  expect(answerText(bytes)).toBe('x'.repeat(answerKeptBytesMax - 1))
})

test('whatever the bytes, the text is within the bound, without control characters, and well formed', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 2 * answerKeptBytesMax, size: 'max' }), bytes => {
      const text = answerText(bytes)
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(answerKeptBytesMax)
      expect(text).not.toMatch(/[\p{Cc}\p{Cf}]/u)
      expect(text.isWellFormed()).toBe(true)
    }),
  )
})
