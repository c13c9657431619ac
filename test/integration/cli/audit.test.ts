import { describe, expect, test } from 'vitest'
import { rawHash, readRecord } from '../../../shared/domain/feedback/read-record.ts'
import { startCommand } from '../local/commands.ts'
import { holdAudited } from './audited-bridge.ts'
import { jsonOf } from './bridge-command.ts'
import { deliveryOf, loggedEvent } from './filled-table.ts'

const hourSeconds = 3_600
const uuidOf = (at: number): string => `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`

/** Two records a second, the oldest first, that were logged when they came. */
const recordsOf = (first: number, count: number) =>
  Array.from({ length: count }, (_, at) => ({ uuid: uuidOf(at), second: first + Math.floor(at / 2) }))

const stateless = {
  waiting: 0,
  held: 0,
  delivered: 0,
  dead: 0,
  cancelled: 0,
  queued: 0,
  missing: 0,
  notDue: 0,
}

describe('bridge audit', { timeout: 40_000 }, () => {
  test('accounts for every record and every delivery, names what is missing, and repairs it', async () => {
    const first = Math.floor(Date.now() / 1_000) - 5 * hourSeconds
    await using audited = await holdAudited({ floorSecond: first, readUntil: first + 1_000 })
    const { bridge, simulator, table, quarantine } = audited
    const records = recordsOf(first, 250)
    const before = [{ uuid: uuidOf(900), second: first - 60 }]
    const unread = [{ uuid: uuidOf(901), second: first + 2_000 }]
    const odd = [
      { uuid: uuidOf(902), second: first + 10, json: '{"uuid":"","timelogged":0,"odd":1}' },
      { uuid: uuidOf(903), second: first + 11, json: '{"uuid":"","timelogged":0,"odd":2}' },
    ]
    simulator.add('bounces', [...before, ...records, ...odd, ...unread])
    const [kept] = odd
    const text = kept?.json ?? ''
    const read = readRecord({ text, value: JSON.parse(text) })
    expect(read.kind).toBe('unreadable')
    const ids = { sourceId: 'main', stream: 'bounces' } as const
    const hash = rawHash({ text, value: null })
    await quarantine.keep({ ...ids, hash, text, reason: 'no_uuid', atMs: 1 })
    const events = records.map(record => loggedEvent(record))
    const lost = [events[3], events[120], events[249]].flatMap(event => event ?? [])
    await table.log.record(events.filter(event => !lost.includes(event)))
    const states = ['waiting', 'held', 'dead', 'cancelled'] as const
    // Of the first five, each has a state of its own, and one has no delivery at all.
    for (const [at, event] of events.entries()) {
      if (lost.includes(event) || at === 8) continue
      const state = states[at] ?? 'delivered'
      const dueMs = state === 'cancelled' || state === 'delivered' ? null : Date.now() + 9_999_999
      await table.store.write(deliveryOf(event, { state, dueMs }), { kind: 'unsettled_before', rank: 9 })
    }

    const found = await bridge('audit --since 6h --json')
    expect([found.code, found.stderr]).toEqual([1, ''])
    const [bounces, complaints] = jsonOf(found).streams
    expect(complaints).toEqual({
      source: 'main',
      stream: 'complaints',
      requests: 0,
      matches: true,
      result: 'not_started',
    })
    expect(bounces).toMatchObject({
      result: 'compared',
      matches: false,
      events: 247,
      notAtService: 0,
      requests: 3,
    })
    expect(bounces.records).toEqual({
      atService: 254,
      inLog: 247,
      beforeFloor: 1,
      quarantined: 1,
      notReadYet: 1,
      missing: 4,
      repaired: 0,
    })
    expect(bounces.missingRecords.map(({ event }: { event: string }) => event)).toHaveLength(4)
    expect(bounces.missingRecords).toEqual([
      { eventId: lost[0]?.id, record: uuidOf(3), repaired: false, time: isoOf(first + 1) },
      { eventId: null, record: expect.stringMatching(/^[0-9a-f]{64}$/), repaired: false, time: null },
      { eventId: lost[1]?.id, record: uuidOf(120), repaired: false, time: isoOf(first + 60) },
      { eventId: lost[2]?.id, record: uuidOf(249), repaired: false, time: isoOf(first + 124) },
    ])
    // The fourth record was lost, and with it the state that it would have had.
    const counts = { ...stateless, waiting: 1, held: 1, dead: 1, delivered: 243, missing: 1 }
    expect(bounces.endpoints).toEqual([{ endpoint: 'crm', ...counts }])
    expect(bounces.namedDeliveries).toEqual([{ event: events[8]?.id, endpoint: 'crm', repaired: false }])

    const shown = await bridge('audit --since 6h')
    expect(shown.code).toBe(1)
    expect(shown.stdout).toMatch(
      /^main bounces, 2\S+ \S+Z to 2\S+ \S+Z, 3 requests\nRecords at the service +254\n/,
    )
    expect(shown.stdout).toContain(
      `\nmissing: record ${uuidOf(3)} of ${isoOf(first + 1)
        .replace('T', ' ')
        .replace('.000', '')}, ${lost[0]?.id}\n`,
    )
    expect(shown.stdout.trimEnd().split('\n').at(-1)).toBe(
      '5 missing. --repair enqueues it. 1 record the poller has not come to yet.',
    )

    const repaired = await bridge('audit --since 6h --repair')
    expect([repaired.code, repaired.stdout.trimEnd().split('\n').at(-1)]).toEqual([
      0,
      '5 missing, 5 of that enqueued now. 1 record the poller has not come to yet.',
    ])
    for (const { id } of lost) {
      const logged = await table.log.read({ ...ids, eventId: id })
      expect(logged?.endpointIds).toEqual(['crm'])
    }
    // Where the queue dies with the process, the next start finds by these what it has to send again.
    const marks = await table.marks.list({ ...ids, fromHour: 0, limit: 10 })
    expect(marks.map(({ lowestId }) => lowestId).toSorted()[0]).toBe(lost[0]?.id)
    const [again] = jsonOf(await bridge('audit --since 6h --json')).streams
    expect(again.records).toMatchObject({ atService: 254, inLog: 250, quarantined: 2, missing: 0 })
  })

  test.each([
    ['last_id by time', { lastId: 'timelogged' }, 4],
    // One more: pages by `next` end with their first page once more.
    ['newest first all the same', { order: 'ignored' }, 5],
    ['a next with cursors', { next: 'cursor' }, 4],
    ['a last_id that is unknown: 422', { unknownLastId: '422' }, 6],
    ['a last_id that is unknown: the whole list', { unknownLastId: 'all' }, 6],
    ['a last_id that is unknown: nothing', { unknownLastId: 'empty' }, 6],
  ] as const)('finds exactly what is missing under every reading: %s', async (_name, options, requests) => {
    const first = Math.floor(Date.now() / 1_000) - 30 * hourSeconds
    await using audited = await holdAudited({ floorSecond: 0, readUntil: first + 1e6, options })
    const { bridge, simulator, table, start } = audited
    await start('complaints')
    // Over midnight, whenever it is run.
    const records = Array.from({ length: 450 }, (_, at) => ({ uuid: uuidOf(at), second: first + 100 * at }))
    simulator.add('bounces', records)
    const events = records.map(record => loggedEvent(record))
    const lost = new Set([150, 299, 449])
    await table.log.record(events.filter((_, at) => !lost.has(at)))
    // The records that the walk would begin after.
    if ('unknownLastId' in options) for (let at = 90; at < 108; at += 1) simulator.forgetId(uuidOf(at))
    const since = isoOf(first + 10_750)
    const until = isoOf(first + 44_900)
    const [bounces, complaints] = jsonOf(
      await bridge(`audit --since ${since} --until ${until} --json`),
    ).streams
    expect(bounces.records).toMatchObject({ atService: 342, inLog: 339, missing: 3, beforeFloor: 0 })
    expect(bounces).toMatchObject({ result: 'compared', events: 339, notAtService: 0, requests })
    expect(bounces.missingRecords.map(({ record }: { record: string }) => record).toSorted()).toEqual(
      [150, 299, 449].map(uuidOf),
    )
    expect(complaints).toMatchObject({ result: 'compared', matches: true, events: 0 })
  })

  test('says of a source that can not be read why, and compares the log with the deliveries all the same', async () => {
    const first = Math.floor(Date.now() / 1_000) - 5 * hourSeconds
    await using audited = await holdAudited({ floorSecond: 0, readUntil: first })
    const { bridge, table } = audited
    const event = loggedEvent({ uuid: uuidOf(1), second: first })
    await table.log.record([event])
    await table.store.write(deliveryOf(event), { kind: 'unsettled_before', rank: 9 })
    await bridge('source token main', 'wrong-token')
    const ran = await bridge('audit --since 6h --json')
    expect(ran.code).toBe(1)
    const [bounces] = jsonOf(ran).streams
    expect(bounces).toMatchObject({
      result: 'service_unreadable',
      status: 401,
      events: 1,
      notAtService: null,
    })
    expect(bounces.endpoints).toEqual([{ endpoint: 'crm', ...stateless, delivered: 1 }])
    expect(ran.stdout).not.toContain('wrong-token')
  })

  test('interrupted while the service does not answer, it ends at once, cleanly', async () => {
    const first = Math.floor(Date.now() / 1_000) - 5 * hourSeconds
    await using audited = await holdAudited({ floorSecond: 0, readUntil: first })
    const { simulator, path } = audited
    const { promise: asked, resolve } = Promise.withResolvers<void>()
    simulator.setIntercept(() => {
      resolve()
      return { fault: 'timeout' }
    })
    await using running = startCommand('infra/cli/main.ts', ['audit', '--since', '6h', '--data', path])
    await asked
    const startedMs = Date.now()
    running.child.kill('SIGINT')
    expect(await running.ended).toBe(130)
    expect(Date.now() - startedMs).toBeLessThan(4_000)
    expect([running.stdout(), running.stderr()]).toEqual(['', 'Interrupted. Run it again.\n'])
  })

  test('refuses times that nothing can be said of', async () => {
    const nowSecond = Math.floor(Date.now() / 1_000)
    await using audited = await holdAudited({ floorSecond: 0, readUntil: nowSecond })
    const { bridge } = audited
    expect((await bridge('audit')).code).toBe(2)
    expect((await bridge('audit --since 1m')).code).toBe(2)
    expect((await bridge('audit --since 2h --until 3h')).code).toBe(2)
    expect((await bridge('audit --since 1h --share 1.5')).code).toBe(2)
    expect((await bridge('audit --since 40d')).code).toBe(3)
    expect((await bridge('audit --since 1h --source nobody')).code).toBe(1)
  })
})

const isoOf = (second: number): string => new Date(second * 1_000).toISOString()
