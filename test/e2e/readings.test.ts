import { describe, expect } from 'vitest'
import type { SimulatorSetup } from '../../infra/simulator/simulator.ts'
import { completeWalks, expectExactly, expectLinesMatch } from './harness/checks.ts'
import { nowSecond, recordsAt } from './harness/records.ts'
import { type BridgeOf, idsOf, test, type World } from './harness/world.ts'

type Reading = {
  title: string
  service: SimulatorSetup
  flags?: BridgeOf['flags']
  /** How every request is authorized; Token unless given. */
  scheme?: 'Token' | 'Bearer' | 'X-API-Key'
}

/** Small pages, and more records of a second than a page holds. */
const backlog: SimulatorSetup = {
  backlog: 50,
  backlogSpanSeconds: 900,
  ties: 7,
  pageSize: 5,
  complaintShare: 0.4,
}

const readings: readonly Reading[] = [
  { title: 'as the specification reads at first sight', service: {} },
  { title: 'last_id by timelogged', service: { lastId: 'timelogged' } },
  { title: 'last_id by timelogged, next a cursor', service: { lastId: 'timelogged', next: 'cursor' } },
  { title: 'next a cursor, default order ascending', service: { next: 'cursor', defaultOrder: 'asc' } },
  { title: 'order ignored', service: { order: 'ignored' } },
  { title: 'order ignored, next a cursor', service: { order: 'ignored', next: 'cursor' } },
  { title: 'order ignored, last_id by timelogged', service: { order: 'ignored', lastId: 'timelogged' } },
  {
    title: 'order ignored, last_id by timelogged, next a cursor',
    service: { order: 'ignored', lastId: 'timelogged', next: 'cursor' },
  },
  { title: 'order ignored on complaints', service: { order: 'ignored-on-complaints' } },
  {
    title: 'order ignored on complaints, last_id by timelogged',
    service: { order: 'ignored-on-complaints', lastId: 'timelogged' },
  },
  {
    title: 'timelogged in milliseconds, Bearer',
    service: { timelogged: 'ms' },
    flags: { 'auth-scheme': 'Bearer' },
    scheme: 'Bearer',
  },
  {
    title: 'timelogged a string of digits, X-API-Key',
    service: { timelogged: 'string' },
    flags: { 'auth-scheme': 'X-API-Key' },
    scheme: 'X-API-Key',
  },
  {
    title: 'timelogged as RFC 3339, last_id by timelogged, Token alone',
    service: { timelogged: 'rfc3339', lastId: 'timelogged', auth: 'token' },
    flags: { 'auth-scheme': 'Token' },
  },
  {
    title: 'the path prefix /api/v1',
    service: { pathPrefix: '/api/v1' },
    flags: { 'path-prefix': '/api/v1' },
  },
  {
    title: 'page_size honoured',
    service: { pageSize: 100, next: 'cursor' },
    flags: { 'page-size': '4' },
  },
  {
    title: 'page_size ignored',
    service: { pageSizeParameter: 'ignored', lastId: 'timelogged' },
    flags: { 'page-size': '1000' },
  },
  {
    title: 'no rate-limit headers, and a reset that is a time',
    service: { rateLimitHeaders: 'never', reset: 'unix' },
  },
  { title: 'a reset that is a time', service: { reset: 'unix' } },
  { title: 'a whole list of one page', service: { pageSize: 1000, lastId: 'timelogged' } },
]

/**
 * A backlog; then, while the bridge polls: more of the newest second, a late record between known ones, and seconds of
 * more records than a page. Until the overlap was read twice again.
 */
const pollThrough = async (world: World, { service, flags, scheme }: Reading): Promise<void> => {
  const simulator = await world.simulator({ ...backlog, ...service })
  const receiver = await world.receiver()
  const dataDir = await world.dataDir()
  const bridge = world.bridge({ simulator, receivers: [receiver], dataDir, ...(flags && { flags }) })
  const arrived = () => new Set(receiver.ids()).size
  await world.change.until('the backlog arrives', () => arrived() === idsOf(simulator).length)

  const second = nowSecond()
  simulator.add('bounces', recordsAt(second, 7))
  simulator.add('complaints', recordsAt(second, 3))
  await world.change.until('what is new arrives', () => arrived() === idsOf(simulator).length)
  simulator.add('bounces', [...recordsAt(second - 1, 1), ...recordsAt(second, 6)])
  simulator.add('complaints', [...recordsAt(second - 2, 1), ...recordsAt(second, 4)])
  await world.change.until('what is late arrives', () => arrived() === idsOf(simulator).length)
  const since = bridge.polls().length
  await world.change.until('the overlap is read again', () => {
    const { bounces, complaints } = completeWalks(bridge, 'overlap', since)
    return bounces >= 2 && complaints >= 2
  })
  expect(await bridge.stop()).toEqual({ code: 0, signal: null })

  expectExactly(receiver, idsOf(simulator))
  expectLinesMatch(bridge, [receiver])
  expect(new Set(simulator.requests.map(request => request.scheme))).toEqual(new Set([scheme ?? 'Token']))
  expect(simulator.requests.filter(({ status }) => status !== 200 && status !== null)).toEqual([])
}

describe.concurrent('every record arrives exactly once under the reading', () => {
  for (const reading of readings) {
    test(reading.title, ({ world }) => pollThrough(world, reading))
  }
})
