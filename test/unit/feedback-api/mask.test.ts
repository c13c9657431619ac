import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createMask, shown, shownCharsMax } from '../../../shared/adapters/feedback-api/mask.ts'

const token = 'Zq/en+"&=secret-123'
const mask = createMask([token])

describe('what is shown of a text of the service', () => {
  it.each([
    ['as it is', token],
    ['encoded for a URL', encodeURIComponent(token)],
    [
      'encoded for a URL in small letters',
      encodeURIComponent(token).replace(/%../g, hex => hex.toLowerCase()),
    ],
    ['escaped in JSON', JSON.stringify(token)],
    ['escaped in JSON with its slashes', JSON.stringify(token).replaceAll('/', '\\/')],
    ['in base64', Buffer.from(token).toString('base64')],
  ])('never holds the token %s', (_, echoed) => {
    expect(shown(`no: ${echoed} is unknown, ${echoed}`, mask)).not.toContain(echoed)
    expect(shown(`no: ${echoed} is unknown, ${echoed}`, mask)).toMatch(/^no: .*\[token\].* is unknown, /)
  })

  it('never holds a part of the token, wherever the cut falls', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 20 }), (back, repeats) => {
        const text = token.repeat(repeats) + '.'.repeat(shownCharsMax - back) + token.repeat(3)
        expect(shown(text, mask)).not.toContain(token.slice(0, 3))
      }),
    )
  })

  it('never holds a part of the token that space in front of it moved to the end of what is read', () => {
    for (let space = 16_800; space < 16_920; space++)
      expect(shown(`a${' '.repeat(space)}${token}`, mask)).not.toContain('Zq')
  })

  it('never holds an address', () => {
    const said = shown('{"to": "jo.doe@example.com"}, <a+b@x.org> and jo%40example.com', mask)
    expect(said).toBe('{"to": "[address]*********"}, <[address]> and [address]*******')
  })

  it('is one line of at most 500 characters without control characters', () => {
    const said = shown(`a\u001b[31m\r\n\tb${'😀'.repeat(1000)}`, mask)
    expect(said.startsWith('a [31m b😀')).toBe(true)
    expect(said.length).toBeLessThanOrEqual(shownCharsMax)
    expect(said.length).toBeGreaterThan(490)
    expect(said.isWellFormed()).toBe(true)
    expect(shown(' \n ', mask)).toBe('')
  })

  it('takes no quadratic time on a long word', () => {
    expect(shown('a'.repeat(5_000_000), mask)).toBe('a'.repeat(shownCharsMax))
  })
})
