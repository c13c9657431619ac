import { createHash, randomBytes } from 'node:crypto'
import { ScanCommand } from '@aws-sdk/lib-dynamodb'
import { describe, expect, test } from 'vitest'
import { createQuarantine } from '../../../shared/adapters/dynamodb/quarantine.ts'
import { createQuarantinePages } from '../../../shared/adapters/dynamodb/quarantine-pages.ts'
import type { QuarantinedRecord } from '../../../shared/domain/polling/quarantine.ts'
import { useTables } from '../support/test-table.ts'

const tables = useTables()
const of = { sourceId: 'main', stream: 'bounces' } as const

const recordOf = (text: string): QuarantinedRecord => ({
  ...of,
  hash: createHash('sha256').update(text, 'utf8').digest('hex'),
  text,
  reason: 'no_uuid',
  atMs: 1_795_132_800_000,
})
const headOf = ({ text: _, ...head }: QuarantinedRecord, parts: number) => ({ ...head, parts })
/** Packed it is as large as unpacked. */
const incompressible = (bytes: number): string => randomBytes(bytes).toString('base64')

const world = async () => {
  const table = await tables.fresh()
  const pages = createQuarantinePages(table)
  const readAll = async (hashPrefix: string) => {
    const found = []
    for (let after: string | null = null, count = 1; ; count += 1) {
      const page: Awaited<ReturnType<typeof pages.page>> = await pages.page({ ...of, hashPrefix, after })
      found.push(...page.heads)
      if (page.after === null) return { heads: found, pages: count }
      after = page.after
    }
  }
  const items = async () => (await table.client.send(new ScanCommand({ TableName: table.tableName }))).Items
  return { quarantine: createQuarantine(table), pages, readAll, items }
}

describe('pages of quarantine', () => {
  test('have each record of a stream once, by hash, also those that are in several parts', async () => {
    const { quarantine, readAll } = await world()
    const small = recordOf('[1]')
    const large = recordOf(incompressible(900_000))
    for (const record of [small, large, { ...small, stream: 'complaints' as const }]) {
      await quarantine.keep(record)
    }
    const { heads } = await readAll('')
    const byHash = [headOf(small, 1), headOf(large, 3)].sort((a, b) => (a.hash < b.hash ? -1 : 1))
    expect(heads).toEqual(byHash)
    expect((await readAll(large.hash.slice(0, 8))).heads).toEqual([headOf(large, 3)])
    expect((await readAll('0123456789abcdef')).heads).toEqual([])
  })

  test('go on where the page before ended', async () => {
    const { quarantine, readAll } = await world()
    const records = Array.from({ length: 6 }, () => recordOf(incompressible(300_000)))
    for (const record of records) await quarantine.keep(record)
    const { heads, pages } = await readAll('')
    // A page of the table ends at 1 MB.
    expect(pages).toBeGreaterThan(1)
    expect(heads.map(({ hash }) => hash)).toEqual(records.map(({ hash }) => hash).toSorted())
  })

  test('take a record out with all of its parts, and once more without harm', async () => {
    const { quarantine, pages, readAll, items } = await world()
    const record = recordOf(incompressible(900_000))
    await quarantine.keep(record)
    const [head] = (await readAll('')).heads
    if (head === undefined) throw new Error('it was kept')
    expect(await items()).toHaveLength(head.parts)
    await pages.remove(head)
    expect(await items()).toEqual([])
    await pages.remove(head)
    expect(await quarantine.read(record)).toBeNull()
    expect(await quarantine.keep(record)).toBe('new')
  })
})
