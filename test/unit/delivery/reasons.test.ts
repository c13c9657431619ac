import { expect, test } from 'vitest'
import { deliveryReasons, httpReason } from '../../../shared/domain/delivery/reasons.ts'

test('a reason is a snake_case code with one line of meaning', () => {
  for (const [code, meaning] of Object.entries(deliveryReasons)) {
    expect(code).toMatch(/^[a-z]+(_[a-z0-9]+)*$/)
    expect(meaning).toMatch(/^[^\n]{10,110}$/)
  }
  expect(new Set(Object.values(deliveryReasons)).size).toBe(Object.keys(deliveryReasons).length)
})

test('an answer is named by its status', () => {
  expect(httpReason(503)).toBe('http_503')
})
