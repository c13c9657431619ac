import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { anchorOf, descriptionOf } from '../../../infra/stack/monitoring/alarm-row.ts'
import { alarmTable } from '../../../infra/stack/monitoring/alarm-table.ts'
import { type Severity, severities } from '../../../infra/stack/monitoring/severities.ts'
import { itemVersion } from '../../../shared/adapters/dynamodb/item.ts'
import { messageVersion } from '../../../shared/domain/delivery/delivery-message.ts'

const root = new URL('../../../', import.meta.url)
const runbook = readFileSync(new URL('RUNBOOK.md', root), 'utf8')
const rows = alarmTable({ pollEverySeconds: 5, deadlineSeconds: 15 })

/** Without code, in which "#" begins a comment. */
const prose = runbook.replaceAll(/^ *```[\s\S]*?^ *```$/gm, '')
const headings = [...prose.matchAll(/^#{1,6} (.+)$/gm)].map(([, text]) => text ?? '')

/** The text below each alarm's heading. */
const sections = new Map(
  (prose.split(/^## Alarms$/m)[1]?.split(/^## /m)[0] ?? '')
    .split(/^### /m)
    .slice(1)
    .map(part => [part.slice(0, part.indexOf('\n')), part.slice(part.indexOf('\n') + 1)]),
)

describe('the runbook', () => {
  test('has a heading for each alarm, and no other one', () => {
    expect([...sections.keys()].sort()).toEqual([...new Set(rows.map(({ heading }) => heading))].sort())
  })

  test('names below each heading the alarms that lead there, with their severities', () => {
    const named = [...sections].map(([heading, text]) => [heading, text.split('\n')[0]])
    const own = [...sections.keys()].map(heading => [
      heading,
      rows
        .filter(row => row.heading === heading)
        .map(({ severity, key }) => `\`${severity}\` ${key}`)
        .join(' · '),
    ])
    expect(named).toEqual(own)
  })

  test('says of each alarm where to look, what to do and whom to call', () => {
    const labels = ['Look', 'Do', 'Call']
    const found = [...sections].map(([heading, text]) => [
      heading,
      [...text.matchAll(/^- \*\*(\w+):\*\*/gm)].map(([, label]) => label),
    ])
    expect(found).toEqual([...sections.keys()].map(heading => [heading, labels]))
  })

  test('is where the descriptions of the alarms say', () => {
    const anchors = headings.map(anchorOf)
    for (const row of rows) {
      const [file, anchor] = (descriptionOf(row).split(' ').at(-1) ?? '').split('#')
      expect(file && existsSync(new URL(file, root))).toBe(true)
      expect(anchors.filter(one => one === anchor)).toEqual([anchor])
    }
  })

  test('has every heading that it points to', () => {
    const anchors = headings.map(anchorOf)
    const pointed = [...prose.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor]) => anchor ?? '')
    expect(pointed.length).toBeGreaterThan(20)
    expect(pointed.filter(anchor => !anchors.includes(anchor))).toEqual([])
  })

  test('tells the severities as the code does', () => {
    const told = [...runbook.matchAll(/^\| `(page|ticket|notice)` \| (.+) \|$/gm)].map(([, name, text]) => [
      name,
      text,
    ])
    const names: Severity[] = ['page', 'ticket', 'notice']
    expect(told).toEqual(names.map(name => [name, severities[name]]))
    expect(Object.keys(severities)).toEqual(names)
  })

  test('says truly that no version was raised yet', () => {
    expect(runbook).toContain('both are 1 so far')
    expect([messageVersion, itemVersion]).toEqual([1, 1])
  })
})
