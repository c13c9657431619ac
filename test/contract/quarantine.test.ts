import { createHash, randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createQuarantine } from '../../shared/adapters/dynamodb/quarantine.ts'
import { createMemoryQuarantine } from '../../shared/adapters/memory/quarantine.ts'
import type { Quarantine, QuarantinedRecord } from '../../shared/domain/polling/quarantine.ts'
import { useTables } from './support/test-table.ts'

const recordOf = (text: string): QuarantinedRecord => ({
  sourceId: 'main',
  stream: 'bounces',
  hash: createHash('sha256').update(text, 'utf8').digest('hex'),
  text,
  reason: 'no_uuid',
  atMs: 1_795_132_800_000,
})

const describeQuarantine = (name: string, create: () => Promise<Quarantine>) =>
  describe(`quarantine: ${name}`, () => {
    it.each([
      ['nothing', ''],
      ['a few bytes', '{"uuid":null,"rcpt":"日本語 😀"}'],
      ['a megabyte and more that does not pack', randomBytes(1_200_000).toString('base64')],
    ])('keeps a record of %s as it is', async (_, text) => {
      const quarantine = await create()
      const record = recordOf(text)
      expect(await quarantine.keep(record)).toBe('new')
      expect(await quarantine.read(record)).toEqual(record)
    })

    it('knows the same bytes again, and keeps what it has', async () => {
      const quarantine = await create()
      const record = recordOf('[1]')
      expect(await quarantine.keep(record)).toBe('new')
      expect(await quarantine.keep({ ...record, reason: 'not_an_object', atMs: 1 })).toBe('known')
      expect(await quarantine.read(record)).toEqual(record)
    })

    it('says new to one of several at once', async () => {
      const quarantine = await create()
      const results = await Promise.all([1, 2, 3].map(() => quarantine.keep(recordOf('[2]'))))
      expect(results.toSorted()).toEqual(['known', 'known', 'new'])
    })

    it('keeps streams and sources apart', async () => {
      const quarantine = await create()
      const record = recordOf('[3]')
      await quarantine.keep(record)
      for (const other of [
        { ...record, stream: 'complaints' as const },
        { ...record, sourceId: 'second' },
      ]) {
        expect(await quarantine.read(other)).toBeNull()
        expect(await quarantine.keep(other)).toBe('new')
      }
    })
  })

const tables = useTables()
describeQuarantine('twin in memory', async () => createMemoryQuarantine())
describeQuarantine('DynamoDB', async () => createQuarantine(await tables.fresh()))
