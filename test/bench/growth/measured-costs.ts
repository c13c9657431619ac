import * as z from 'zod'
import { createTestClock } from '../../unit/delivery/harness.ts'
import { benchEndpoints } from '../dispatch/bench-endpoints.ts'
import { percentile } from '../isolation/percentiles.ts'
import { type CountedTable, createCountedTable } from './counted-table.ts'
import {
  countBacklog,
  lookAtStatus,
  type Ports,
  portsOf,
  reconcileOnce,
  startDispatcher,
  startPoller,
  startReleaser,
} from './operations.ts'
import { createServiceTwin } from './service-twin.ts'
import { endpointsPutMax, fillEndpoints, putDue, putMark, putSettings } from './table-contents.ts'
import { fillTable, recentRecords, recordAt, type Sizes, startMs } from './world.ts'

/** What an operation cost: calls of the table, items that it looked at and wrote, kilobytes, and processor time. */
const costSchema = z.object({ calls: z.number(), items: z.number(), kb: z.number(), ms: z.number() })
export type Cost = z.infer<typeof costSchema>

const repeats = 3
/** Where there are many endpoints once is enough: each is a repeat. */
const endpointsRepeatedMax = 100
const newRecords = 10
/** Between two polls. */
const pollEveryMs = 5_000

/** What is done at each size; those that ask for each endpoint's index several times are not done with very many. */
export const operationNames = [
  'poll, nothing new',
  'poll, 10 new records',
  'dispatch of ten',
  'dispatch of ten, endpoints read',
  "releaser's run, 10 due",
  'count of the backlog',
  'reconcile, 10 minutes',
  'reconcile, a late record',
  'status screen',
] as const
export type OperationName = (typeof operationNames)[number]
/** As one process tells another. */
export const costsSchema = z.array(z.tuple([z.enum(operationNames), costSchema]))
const perEndpoint: readonly OperationName[] = [
  "releaser's run, 10 due",
  'count of the backlog',
  'status screen',
]
export const endpointsAskedMax = 10_000

/** What each operation costs where there is so much; medians of the times, and counts of the last one. */
export const measureCosts = async (sizes: Sizes): Promise<ReadonlyMap<OperationName, Cost>> => {
  const table = createCountedTable()
  fillTable(table, sizes)
  const { clock, turn } = createTestClock(startMs)
  const ports = portsOf(table, clock)
  await putSettings(ports, Math.min(sizes.endpoints, endpointsPutMax))
  fillEndpoints(table, sizes.endpoints)
  const acts = await startActs({ ports, table, turn, isVast: sizes.endpoints > endpointsAskedMax })
  const costs = new Map<OperationName, Cost>()
  for (const name of operationNames) {
    if (sizes.endpoints > endpointsAskedMax && perEndpoint.includes(name)) continue
    const of: Cost[] = []
    for (let at = 0; at < (sizes.endpoints > endpointsRepeatedMax ? 1 : repeats); at += 1) {
      await acts[name].before?.(at)
      of.push(await costOf(table, acts[name].act))
    }
    const last = of.at(-1)
    if (last !== undefined)
      costs.set(name, {
        ...last,
        ms: percentile(
          of.map(({ ms }) => ms),
          0.5,
        ),
      })
  }
  table.table.client.destroy()
  return costs
}

const costOf = async (table: CountedTable, act: () => Promise<unknown>): Promise<Cost> => {
  const before = { ...table.counts(), ownMs: table.ownMs(), cpu: process.cpuUsage() }
  await act()
  const { user, system } = process.cpuUsage(before.cpu)
  const after = table.counts()
  return {
    calls: after.calls - before.calls,
    items: after.itemsRead + after.itemsWritten - before.itemsRead - before.itemsWritten,
    kb: (after.bytesRead - before.bytesRead) / 1_024,
    ms: Math.max(0, (user + system) / 1_000 - (table.ownMs() - before.ownMs)),
  }
}

type Act = { act: () => Promise<unknown>; before?: (at: number) => Promise<unknown> }

const startActs = async (of: {
  ports: Ports
  table: CountedTable
  turn: (ms: number) => Promise<void>
  /** So many endpoints that what asks for each of them is left out. */
  isVast: boolean
}): Promise<Record<OperationName, Act>> => {
  const { ports, table, turn } = of
  const [endpoint] = benchEndpoints({ count: 1, ports: [1] })
  if (endpoint === undefined) throw new Error('no endpoint')
  const service = createServiceTwin({ records: recentRecords }, ports.clock)
  const poll = startPoller(ports, () => service.api)
  const dispatch = startDispatcher(ports)
  const release = startReleaser(ports)
  let added = 0
  const addRecords = async (): Promise<void> => {
    await turn(pollEveryMs)
    added += 1
    const second = Math.floor(ports.clock.now() / 1_000) - 2
    const names = Array.from({ length: newRecords }, (_, at) => `new-${added}-${at}`)
    service.add(
      'bounces',
      names.map(name => recordAt('bounces', second, name)),
    )
  }
  // What a process does at its start: it reads the overlap, and reconciles.
  await poll()
  if (!of.isVast) await release({})
  await dispatch(endpoint)
  return {
    'poll, nothing new': { before: () => turn(pollEveryMs), act: poll },
    'poll, 10 new records': { before: addRecords, act: poll },
    'dispatch of ten': { before: () => dispatch(endpoint), act: () => dispatch(endpoint) },
    'dispatch of ten, endpoints read': { before: () => turn(6_000), act: () => dispatch(endpoint) },
    "releaser's run, 10 due": { before: at => putDue(ports, at), act: () => release({}) },
    'count of the backlog': { act: () => countBacklog(ports) },
    'reconcile, 10 minutes': { before: () => putMark(ports, 'recent'), act: () => reconcileOnce(ports) },
    'reconcile, a late record': { before: () => putMark(ports, 'late'), act: () => reconcileOnce(ports) },
    'status screen': { act: () => lookAtStatus(ports, table) },
  }
}
