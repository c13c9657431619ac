import { PutCommand } from '@aws-sdk/lib-dynamodb'
import { describe, expect, test } from 'vitest'
import { createCursorStore } from '../../../shared/adapters/dynamodb/cursor-store.ts'
import { createRunLease } from '../../../shared/adapters/dynamodb/run-lease.ts'
import { emptyCursor } from '../../../shared/domain/polling/cursor.ts'
import type { StreamName } from '../../../shared/domain/source.ts'
import { temporaryFolder } from '../local/folders.ts'
import { commandOn, jsonOf } from './bridge-command.ts'
import { deliveryOf, endpointOf, loggedEvent, openTable, sourceOf } from './filled-table.ts'
import { holdFolder } from './held-folder.ts'

const nowMs = Date.now()
const nowSecond = Math.floor(nowMs / 1_000)
const minuteMs = 60_000

/** A folder with its table, to be filled as the poller would have. */
const holdStatus = async () => {
  const folder = await holdFolder()
  const table = openTable(folder.emulators)
  const { client, tableName } = table.document
  const cursors = createCursorStore(table.document)
  const lease = createRunLease(table.document)
  return {
    ...folder,
    table,
    corrupt: (pk: string, sk: string) =>
      client.send(new PutCommand({ TableName: tableName, Item: { pk, sk, v: 1 } })),
    /** A run of the source began then. */
    ran: (sourceId: string, agoMs: number) => lease.take({ sourceId, runId: 'r', atMs: nowMs - agoMs }),
    spent: (sourceId: string, requests: number) =>
      lease.renew({
        sourceId,
        runId: 'r',
        spending: { limit: 60, notBeforeMs: 0, spent: [[nowSecond * 1000, requests, 0, 0]] },
      }),
    /** A walk was complete then. */
    walked: (sourceId: string, stream: StreamName, agoMs: number) =>
      cursors.commit(
        { sourceId, stream, name: 'main' },
        { ...emptyCursor, floorSecond: 0, lastCompleteWalkAtMs: nowMs - agoMs },
        null,
      ),
    [Symbol.asyncDispose]: async () => {
      table[Symbol.dispose]()
      await folder[Symbol.asyncDispose]()
    },
  }
}

const rowsOf = (text: string): string[][] => text.split('\n').map(line => line.split(/ {2,}/))

describe('bridge status', { timeout: 40_000 }, () => {
  test('shows sources, endpoints and queues on one screen, and what is wrong in words', async () => {
    await using folder = await holdStatus()
    const { table } = folder
    for (const id of ['main', 'new', 'ill']) await table.sources.put(sourceOf(id))
    await folder.ran('main', 20_000)
    await folder.spent('main', 3)
    await folder.walked('main', 'bounces', 10_000)
    await folder.walked('main', 'complaints', 12 * minuteMs)
    await folder.corrupt('CURSOR#ill', 'bounces')
    await table.endpoints.put(endpointOf('crm'))
    await table.endpoints.put(endpointOf('shop', { state: 'disabled', stateReason: 'answered_410' }))
    await table.endpoints.put(endpointOf('was', { state: 'removed' }))
    const events = [1, 2, 3, 4].map(at => loggedEvent({ second: nowSecond - 60 * at, uuid: `e${at}` }))
    await table.log.record(events)
    const states = ['delivered', 'delivered', 'waiting', 'dead'] as const
    for (const [at, state] of states.entries()) {
      const event = events[at]
      if (event === undefined) throw new Error('an event for each state')
      const dueMs = state === 'delivered' ? null : nowMs
      const condition = { kind: 'unsettled_before', rank: 100 } as const
      await table.store.write(deliveryOf(event, { state, dueMs }), condition)
    }

    const { code, stdout, stderr } = await folder.bridge('status')
    expect([code, stderr]).toEqual([0, ''])
    const rows = rowsOf(stdout)
    expect(rows[0]?.[0]).toMatch(new RegExp(`^Bridge in ${folder.path}, 2\\S+ \\S+Z$`))
    const [head, ill, bounces, complaints, never, none] = rows.slice(2)
    expect(head).toEqual(['SOURCE', 'STREAM', 'STATE', 'LAST WALK', 'LAG', 'BUDGET', 'LAST DAY', 'EVENTS'])
    expect(ill).toEqual(['ill', 'unknown'])
    expect(bounces?.filter((_, at) => at !== 3 && at !== 4)).toEqual([
      'main',
      'bounces',
      'ok',
      '45/48',
      '▁▁▁▁▁▁▁█',
      '4',
    ])
    expect(complaints).toEqual(['', 'complaints', 'failing', '12 min ago', '12 min', '▁▁▁▁▁▁▁▁', '0'])
    expect(never).toEqual(['new', 'bounces', 'new', 'never', '-', '▁▁▁▁▁▁▁▁', '0'])
    expect(none).toEqual(['', 'complaints', 'new', 'never', '-', '▁▁▁▁▁▁▁▁', '0'])
    expect(rows.slice(9, 12)).toEqual([
      ['ENDPOINT', 'STATE', 'RECENT', 'SUCCESS', 'WAITING', 'HELD', 'DEAD', 'OLDEST'],
      ['shop', 'disabled', '········', '-', '0', '0', '0', '-'],
      ['crm', 'active', '····▁▁██', '50.0 %', '1', '0', '1', '3 min'],
    ])
    expect(rows.slice(13, 17)).toEqual([
      ['QUEUE', 'READY', 'IN FLIGHT', 'DELAYED'],
      ['fast', '0', '0', '0'],
      ['slow', '0', '0', '0'],
      ['dead-letters', '0', '0', '0'],
    ])
    const problems = stdout.split('\n').slice(18, -1)
    expect(problems).toEqual([
      expect.stringMatching(/^The source ill can't be read: an item \(cursor\) can't be read: /),
      expect.stringMatching(
        /^main, complaints: no walk has been complete since 2\S+ \S+ \(12 min ago\); bridge doctor/,
      ),
      'crm: 1 dead; bridge dlq list --endpoint crm shows them.',
      'shop: is disabled (answered_410); bridge endpoint enable shop ends that.',
    ])
  })

  test('tells the same as JSON', async () => {
    await using folder = await holdStatus()
    const { table } = folder
    await table.sources.put(sourceOf('main'))
    await folder.ran('main', 20_000)
    await folder.walked('main', 'bounces', 10_000)
    await table.endpoints.put(endpointOf('crm'))
    await table.log.record([loggedEvent({ second: nowSecond - 60, uuid: 'e' })])
    const { at, ...status } = jsonOf(await folder.bridge('status --json'))
    expect(Math.abs(Date.parse(at) - nowMs)).toBeLessThan(30_000)
    const [{ streams, ...source }] = status.sources
    expect(source).toEqual({
      id: 'main',
      state: 'active',
      lastRun: new Date(nowMs - 20_000).toISOString(),
      budget: { left: 48, of: 48, notBefore: null },
      problem: null,
    })
    const { lagSeconds, ...bounces } = streams[0]
    expect(lagSeconds).toBeGreaterThanOrEqual(10)
    const byHour = Array.from({ length: 24 }, (_, hour) => (hour === 23 ? 1 : 0))
    expect(bounces).toEqual({
      stream: 'bounces',
      state: 'ok',
      lastCompleteWalk: new Date(nowMs - 10_000).toISOString(),
      failingSince: null,
      newestRecord: null,
      walkUnderWay: false,
      lastDay: { events: 1, atLeast: false, byHour },
    })
    const nothing = { count: 0, atLeast: false, oldestEvent: null }
    const empty = { ready: 0, inFlight: 0, delayed: 0, problem: null }
    expect({ ...status, sources: [] }).toEqual({
      bridge: { kind: 'local', data: folder.path, running: true },
      sources: [],
      endpoints: [
        {
          id: 'crm',
          state: 'active',
          stateReason: null,
          lane: 'fast',
          health: {
            breaker: 'closed',
            openSince: null,
            openBecause: null,
            nextProbe: null,
            pausedUntil: null,
            failingSince: null,
            failuresInRow: 0,
          },
          recent: { deliveries: 0, delivered: 0 },
          deliveries: { waiting: nothing, held: nothing, dead: nothing },
          problem: null,
        },
      ],
      queues: [
        { name: 'fast', ...empty },
        { name: 'slow', ...empty },
        { name: 'dead-letters', ...empty },
      ],
    })
  })

  test('of many endpoints shows those first that have something to look at', async () => {
    await using folder = await holdStatus()
    const ids = Array.from({ length: 20 }, (_, at) => `e${String(at).padStart(2, '0')}`)
    for (const id of ids)
      await folder.table.endpoints.put(endpointOf(id, id === 'e19' ? { state: 'disabled' } : {}))
    const idsShown = (text: string) => [...text.matchAll(/^(e\d\d) /gm)].map(([, id]) => id)
    const some = await folder.bridge('status')
    expect(idsShown(some.stdout)).toEqual(['e19', ...ids.slice(0, 14)])
    expect(some.stdout).toContain('\nand 5 more: --all shows them\n')
    const all = await folder.bridge('status --all')
    expect(idsShown(all.stdout)).toEqual(['e19', ...ids.slice(0, 19)])
  })

  test('of a folder on which no bridge runs says so, and shows no queues', async () => {
    using folder = temporaryFolder()
    const bridge = commandOn(folder.of('data'))
    await bridge('source add main --url https://api.example.com', 'tok')
    const { code, stdout } = await bridge('status')
    expect([code, stdout.includes('QUEUE')]).toEqual([0, false])
    expect(stdout).toContain(
      `\nNo bridge runs on this folder: nothing is polled or delivered. npm start -- --data ${folder.of('data')} starts one.\n`,
    )
    expect(jsonOf(await bridge('status --json'))).toMatchObject({ bridge: { running: false }, queues: null })
  })
})
