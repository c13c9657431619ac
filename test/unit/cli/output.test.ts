import { stripVTControlCharacters } from 'node:util'
import picocolors from 'picocolors'
import { describe, expect, test } from 'vitest'
import { lookOf, plainLook } from '../../../infra/cli/output/look.ts'
import { listedMoments, showAge, showMoment } from '../../../infra/cli/output/moments.ts'
import { renderFields, renderTable } from '../../../infra/cli/output/table.ts'

const columns = [
  { title: 'NAME', shrinks: true },
  { title: 'STATE' },
  { title: 'COUNT', align: 'right' },
] as const
const colors = picocolors.createColors(true)

describe('a moment in a list', () => {
  test('is itself where there is room, and on a narrow terminal how long ago it was', () => {
    const nowMs = Date.UTC(2026, 10, 21, 12)
    const shown = (columns: number | null) => {
      const { width, show } = listedMoments({ columns }, nowMs)
      return [width, show(nowMs - 2 * 3_600_000)]
    }
    expect(shown(null)).toEqual([20, '2026-11-21 10:00:00Z'])
    expect(shown(100)).toEqual([20, '2026-11-21 10:00:00Z'])
    expect(shown(99)).toEqual([11, '2.0 h ago'])
  })

  test('takes no more than the width of its column', () => {
    const nowMs = Date.UTC(2026, 10, 21, 12)
    const { width, show } = listedMoments({ columns: 80 }, nowMs)
    const ages = [0, 999, 59_900, 119_000, 3_599_000, 86_399_000, 35 * 86_400_000]
    for (const age of ages) expect(show(nowMs - age).length).toBeLessThanOrEqual(width)
  })
})

describe('a table', () => {
  test('is as wide as its texts where there is no terminal, without trailing spaces', () => {
    const long = 'x'.repeat(200)
    expect(
      renderTable(plainLook, columns, [
        [long, 'active', '7'],
        ['b', 'off', '1,000'],
      ]),
    ).toBe(
      [
        `NAME${' '.repeat(198)}STATE   COUNT`,
        `${long}  active      7`,
        `b${' '.repeat(201)}off     1,000`,
      ].join('\n'),
    )
  })

  test('fits the terminal: what may give way is wrapped, whole words or not, and the rest keeps its place', () => {
    const look = { columns: 40, colors: plainLook.colors }
    const lines = renderTable(look, columns, [['https://example.com/a/long/path', 'active', '7']]).split('\n')
    expect(lines).toEqual([
      'NAME                     STATE   COUNT',
      'https://example.com/a/l  active      7',
      'ong/path',
    ])
    expect(Math.max(...lines.map(line => line.length))).toBeLessThanOrEqual(40)
  })

  test('with colours is laid out as without, each line with colours of its own', () => {
    const row = (paint: (text: string) => string) => [['a-name-that-is-long', paint('active'), paint('0')]]
    const look = { columns: 32, colors }
    const colored = renderTable(look, columns, row(colors.green))
    expect(colored).toContain('\u001B[32mactive\u001B[39m')
    expect(stripVTControlCharacters(colored)).toBe(
      renderTable({ ...look, colors: plainLook.colors }, columns, row(String)),
    )
  })

  test('of fields wraps values under each other', () => {
    expect(
      renderFields({ columns: 32, colors: plainLook.colors }, [
        ['URL', 'x'.repeat(30)],
        ['State', 'on'],
      ]),
    ).toBe(['URL    xxxxxxxxxxxxxxxxxxxxxxx', '       xxxxxxx', 'State  on'].join('\n'))
  })
})

describe('colours', () => {
  const isColored = (out: { isTTY?: boolean }, env: Record<string, string> = {}) =>
    lookOf(out, env).colors.isColorSupported

  test('are for terminals alone, and never against NO_COLOR', () => {
    expect(isColored({ isTTY: true })).toBe(true)
    expect(isColored({})).toBe(false)
    expect(isColored({}, { FORCE_COLOR: '1' })).toBe(false)
    expect(isColored({ isTTY: true }, { NO_COLOR: '1' })).toBe(false)
    expect(isColored({ isTTY: true }, { NO_COLOR: '1', FORCE_COLOR: '1' })).toBe(false)
    expect(isColored({ isTTY: true }, { NO_COLOR: '' })).toBe(true)
    expect(isColored({ isTTY: true }, { TERM: 'dumb' })).toBe(false)
  })

  test('the width is that of the terminal', () => {
    expect(lookOf({ isTTY: true, columns: 132 }, {}).columns).toBe(132)
    expect(lookOf({ columns: 132 }, {}).columns).toBeNull()
  })
})

test('moments are told in UTC, with how far off they are', () => {
  const noon = Date.parse('2026-11-20T12:00:00.500Z')
  expect(showMoment(noon)).toBe('2026-11-20 12:00:00Z')
  expect([showAge(noon - 180_000, noon), showAge(noon + 7_200_000, noon)]).toEqual(['3 min ago', 'in 2.0 h'])
})
