import { describe, expect, test } from 'vitest'
import { plainLook } from '../../../../infra/cli/output/look.ts'
import { createRowWriter } from '../../../../infra/cli/output/row-writer.ts'
import { createSearching } from '../../../../infra/cli/output/searching.ts'
import { writeList } from '../../../../infra/cli/output/streamed-list.ts'
import { createFakeIo } from '../fake-io.ts'

const listing = {
  name: 'things',
  json: (name: string) => ({ name, parts: [1] }),
  columns: [
    { title: 'NAME', width: 5 },
    { title: 'LENGTH', width: 1 },
  ],
  row: (name: string) => [name, String(name.length)],
  nothing: 'There is nothing.',
}

const stillClock = { now: () => 0, sleep: async () => undefined }

const write = async (
  names: readonly string[],
  of: { json: boolean; limit: number | null; stop?: AbortSignal },
) => {
  const fake = createFakeIo()
  const session = {
    io: fake.io,
    clock: stillClock,
    signal: of.stop ?? new AbortController().signal,
    json: of.json,
    yes: false,
    open: async () => Promise.reject(new Error('not opened here')),
  }
  let taken = 0
  async function* items() {
    for (const name of names) {
      taken += 1
      yield name
    }
  }
  const searching = createSearching(session, 'things')
  const code = await writeList(items(), { listing, limit: of.limit, searching }, session)
  return { code, out: fake.out(), notes: fake.notes(), taken }
}

describe('a list that is written as it is found', () => {
  test.each([0, 1, 2, 3])('is the JSON document that one of all %d would be', async count => {
    const names = ['a', 'b', 'c'].slice(0, count)
    const { out } = await write(names, { json: true, limit: null })
    expect(out).toBe(`${JSON.stringify({ things: names.map(listing.json), more: false }, null, 2)}\n`)
  })

  test('ends at the limit and says that there is more, having looked at one more alone', async () => {
    const json = await write(['a', 'b', 'c', 'd'], { json: true, limit: 2 })
    expect(JSON.parse(json.out)).toEqual({ things: ['a', 'b'].map(listing.json), more: true })
    expect(json.taken).toBe(3)
    const rows = await write(['a', 'b', 'c'], { json: false, limit: 2 })
    expect(rows.out).toBe('NAME   LENGTH\na      1\nb      1\n')
    expect(rows.notes).toBe('There are more: --limit N shows N of them, --all shows all.\n')
    const exact = await write(['a', 'b'], { json: false, limit: 2 })
    expect([exact.notes, exact.code]).toEqual(['', 0])
  })

  test('says so where there is nothing', async () => {
    expect((await write([], { json: false, limit: 2 })).out).toBe('There is nothing.\n')
  })

  test('leaves off where it is interrupted, and does not look whole', async () => {
    const stop = AbortSignal.abort()
    const { code, out } = await write(['a', 'b'], { json: true, limit: null, stop })
    expect([code, out]).toEqual([130, ''])
  })
})

describe('rows that are written one by one', () => {
  const columns = [
    { title: 'ID', width: 10 },
    { title: 'TYPE', width: 20, shrinks: true },
    { title: 'ENDS', width: 12, shrinks: true },
  ]

  test('keep within the terminal, what shrinks being wrapped', () => {
    const writer = createRowWriter({ ...plainLook, columns: 34 }, columns)
    const lines = [writer.head, ...writer.row(['0123456789', 'email.bounce.hard', 'crm']).split('\n')]
    expect(lines).toEqual([
      'ID          TYPE        ENDS',
      '0123456789  email.boun  crm',
      '            ce.hard',
    ])
  })

  test('are whole where they go elsewhere, however long', () => {
    const writer = createRowWriter(plainLook, columns)
    expect(writer.row(['0123456789', 'email.bounce.hard', 'crm, shop, and many others'])).toBe(
      '0123456789  email.bounce.hard     crm, shop, and many others',
    )
  })
})
