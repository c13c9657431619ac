import { describe, expect, it } from 'vitest'
import { renderFigures } from '../../bench/render-figures.ts'

describe('the figures of a bench, for people', () => {
  it('has numbers one a line, with four digits that count and whole numbers whole', () => {
    expect(renderFigures({ records: 1_234_567, seconds: 26.41234, usd: 0.000123456 })).toEqual([
      'records  1,234,567',
      'seconds      26.41',
      'usd      0.0001235',
    ])
  })

  it('shows groups of one form as the rows of a table', () => {
    expect(
      renderFigures({ rounds: 2, empty: { bytes: 10, ms: 0.5 }, poller: { bytes: 1_000, ms: 90 } }),
    ).toEqual(['rounds  2', '        bytes   ms', 'empty      10  0.5', 'poller  1,000   90'])
  })

  it('shows groups of different forms below their names', () => {
    expect(renderFigures({ one: { usd: 1 }, other: { ms: 2, kb: 3 } })).toEqual([
      'one',
      '  usd  1',
      'other',
      '  ms  2',
      '  kb  3',
    ])
  })
})
