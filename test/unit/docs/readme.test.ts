import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { flagTable, spelled } from '../../../infra/local/flag-table.ts'
import { settingTable } from '../../../infra/stack/settings.ts'
import { deliveryReasons } from '../../../shared/domain/delivery/reasons.ts'
import { mistakes } from '../../simulation/mistakes.ts'

const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8')

/** The rows of the table that begins after `heading`, cell by cell. */
const tableAfter = (heading: string): string[][] => {
  const table =
    readme
      .slice(readme.indexOf(heading))
      .split('\n\n')
      .find(part => part.startsWith('|')) ?? ''
  return table
    .trim()
    .split('\n')
    .slice(2)
    .map(row =>
      row
        .split('|')
        .slice(1, -1)
        .map(cell => cell.trim()),
    )
}

/** First cell, last cell. */
const rowsAfter = (heading: string): [string, string][] =>
  tableAfter(heading).map(cells => [cells.at(0) ?? '', cells.at(-1) ?? ''])

describe('the README', () => {
  test('lists every reason of a delivery with its meaning', () => {
    const own = Object.entries(deliveryReasons).map(([reason, meaning]) => [`\`${reason}\``, meaning])
    expect(rowsAfter('## Why a delivery failed').slice(1)).toEqual(own)
  })

  test('lists every flag of npm start', () => {
    const listed = rowsAfter('## Run it against a service').map(([name]) => /--[a-z-]+/.exec(name)?.[0])
    expect(listed.sort()).toEqual(flagTable.map(({ name }) => spelled(name)).sort())
  })

  test('lists every setting of the stack with its default and meaning', () => {
    const own = settingTable.map(({ name, default: value, meaning }) => [
      `\`${name}\``,
      value === '' ? 'none' : `\`${value}\``,
      meaning,
    ])
    expect(tableAfter('## Deploy it to AWS')).toEqual(own)
  })

  test('lists every mistake that the simulation is shown to find', () => {
    const inWords = (name: string): string => name.replace(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`)
    const listed = rowsAfter('<!-- mistakes:').map(([mistake]) => mistake)
    expect(listed).toEqual(Object.keys(mistakes).map(inWords))
  })
})
