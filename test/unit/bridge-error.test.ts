import { describe, expect, test } from 'vitest'
import { BridgeError, faultOf } from '../../shared/domain/bridge-error.ts'

describe('what reporters are told of a caught error', () => {
  test('one of ours tells its code and its hint', () => {
    const error = new BridgeError({ code: 'table_away', message: 'no answer', hint: 'Check the network.' })
    expect(faultOf(error)).toEqual({ reason: 'table_away', hint: 'Check the network.' })
  })

  test('any other tells its class and where it was thrown, and nothing of its message', () => {
    const fault = faultOf(new TypeError('jo@example.com is not\n    at all (jo:1:1)'))
    expect(fault.reason).toBe('unexpected')
    expect(fault.hint).toMatch(/^An unexpected TypeError at [\w.-]+:\d+; please report it\.$/)
    expect(fault.hint).not.toContain('jo')
  })

  test('what is no error at all tells its type', () => {
    expect(faultOf('jo@example.com')).toEqual({
      reason: 'unexpected',
      hint: 'An unexpected string; please report it.',
    })
  })
})
