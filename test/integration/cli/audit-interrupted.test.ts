import { expect, test } from 'vitest'
import { holdAudited } from './audited-bridge.ts'
import { jsonOf } from './bridge-command.ts'
import { openFastLane } from './drained-queue.ts'
import { loggedEvent } from './filled-table.ts'
import { interruptCommand } from './interrupted-command.ts'

const hour = 3_600
const count = 900
const isLost = (at: number): boolean => at % 3 === 0

/** A third of the records of the service was never logged; what was logged has no delivery to the endpoint. */
const holdLossy = async () => {
  const first = Math.floor(Date.now() / 1_000) - 5 * hour
  const audited = await holdAudited({ floorSecond: first, readUntil: first + 2 * count })
  const records = Array.from({ length: count }, (_, at) => ({ uuid: `record-${at}`, second: first + at }))
  const events = records.map(record => loggedEvent(record))
  await audited.table.log.record(events.filter((_, at) => !isLost(at)))
  audited.simulator.add('bounces', records)
  const lost = events.filter((_, at) => isLost(at))
  const inLog = async (): Promise<boolean[]> => {
    const keys = { sourceId: 'main', stream: 'bounces' } as const
    const found = await audited.table.log.existing({ ...keys, ids: lost.map(({ id }) => id) })
    return lost.map(({ id }) => found.has(id))
  }
  return { ...audited, events, lost, inLog }
}

const streamOf = (ran: Parameters<typeof jsonOf>[0]) => jsonOf(ran).streams[0]

test('bridge audit, ended while it reads, changes nothing and says nothing; the same command tells all', {
  timeout: 120_000,
}, async () => {
  await using held = await holdLossy()
  using lane = openFastLane(held.emulators)
  const args = 'audit --since 6h --json'
  for (const [signal, pages] of [
    ['SIGKILL', 1],
    ['SIGINT', 4],
    ['SIGKILL', 7],
  ] as const) {
    let asked = 0
    held.simulator.setIntercept(() => {
      asked += 1
      return asked > pages ? { fault: 'timeout' } : undefined
    })
    const isUnderWay = async () => asked > pages
    const { ended, stderr } = await interruptCommand({ dataDir: held.path, args, signal, isUnderWay })
    expect([ended, stderr]).toEqual(
      signal === 'SIGINT' ? [130, 'Interrupted. Run it again.\n'] : [signal, ''],
    )
  }
  held.simulator.setIntercept(() => undefined)
  const ran = await held.bridge(args)
  const { records, endpoints, missingRecords } = streamOf(ran)
  expect([ran.code, ran.stderr]).toEqual([1, ''])
  expect(records).toMatchObject({ atService: 900, inLog: 600, missing: 300, repaired: 0 })
  expect(endpoints).toMatchObject([{ endpoint: 'crm', missing: 600 }])
  expect(missingRecords.map(({ eventId }: { eventId: string }) => eventId)).toEqual(
    held.lost.map(({ id }) => id),
  )
  expect([await lane.drain(), new Set(await held.inLog())]).toEqual([[], new Set([false])])
})

test('bridge audit --repair, ended three times, keeps what it repaired, and the same command repairs the rest', {
  timeout: 120_000,
}, async () => {
  await using held = await holdLossy()
  using lane = openFastLane(held.emulators)
  const args = 'audit --since 6h --repair --json'
  let before = 0
  for (const [signal, after] of [
    ['SIGKILL', 0],
    ['SIGINT', 120],
  ] as const) {
    const isUnderWay = async () => (await held.inLog())[after] === true
    const { ended, stderr } = await interruptCommand({ dataDir: held.path, args, signal, isUnderWay })
    expect([ended, stderr]).toEqual(
      signal === 'SIGINT' ? [130, 'Interrupted; what was enqueued stays so. Run it again.\n'] : [signal, ''],
    )
    const repaired = (await held.inLog()).filter(is => is).length
    expect(repaired).toBeGreaterThan(before)
    expect(repaired).toBeLessThan(held.lost.length)
    before = repaired
  }
  // All records are in the log by then, and deliveries are sent again.
  const isSending = async () => (await lane.count()) > held.lost.length + 100
  const sending = { dataDir: held.path, args, signal: 'SIGKILL', isUnderWay: isSending } as const
  expect((await interruptCommand(sending)).ended).toBe('SIGKILL')
  expect(new Set(await held.inLog())).toEqual(new Set([true]))

  const last = await held.bridge(args)
  expect(last.code).toBe(0)
  const { records, endpoints, namedDeliveries } = streamOf(last)
  expect(records).toMatchObject({ atService: 900, inLog: 900, missing: 0, repaired: 0 })
  expect(endpoints).toMatchObject([{ endpoint: 'crm', queued: 300, missing: 600 }])
  expect(new Set(namedDeliveries.map(({ repaired }: { repaired: boolean }) => repaired))).toEqual(
    new Set([true]),
  )
  expect(namedDeliveries).toHaveLength(600)
  expect([...new Set(await lane.drain())]).toEqual(held.events.map(({ id }) => id).toSorted())
})
