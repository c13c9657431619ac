import { expect } from 'vitest'
import type { RunningSimulator } from '../../../infra/simulator/server.ts'
import { processOn } from '../../integration/cli/bridge-command.ts'
import type { Bridge } from './bridge.ts'
import type { Post, Receiver } from './receiver.ts'
import { nowSecond, recordsAt } from './records.ts'
import { idsOf, type World } from './world.ts'

/** For what takes a minute of the bridge's own, on a busy machine. */
export const patienceMs = 140_000

/** A bridge that polls a service without records, the first of its receivers, and the operator's command. */
export const startWorld = async (world: World, of: { receivers: number; schedule: string }) => {
  const simulator = await world.simulator()
  const receivers = await Promise.all(Array.from({ length: of.receivers }, () => world.receiver()))
  const [first, other] = receivers
  if (first === undefined || other === undefined) throw new Error('two receivers at least')
  const dataDir = await world.dataDir()
  const flags = { 'retry-schedule': of.schedule }
  const bridge = world.bridge({ simulator, receivers, dataDir, flags })
  await world.change.until('the bridge polls', () => pollsSince(bridge, 0) > 0, patienceMs)
  const happen = (count: number) => simulator.add('bounces', recordsAt(nowSecond(), count))
  return { simulator, first, other, bridge, happen, operate: processOn(dataDir) }
}

/** Complete polls of the bounces, after so many of all polls. */
export const pollsSince = (bridge: Bridge, since: number): number =>
  bridge
    .polls()
    .slice(since)
    .filter(({ stream, outcome }) => stream === 'bounces' && outcome === 'complete').length

export const ofEndpoint = (bridge: Bridge, kind: Parameters<Bridge['of']>[0], { id }: Receiver) =>
  bridge.of(kind).filter(({ endpoint }) => endpoint === id)

export const allDelivered =
  (bridge: Bridge, receiver: Receiver, simulator: RunningSimulator) => (): boolean =>
    ofEndpoint(bridge, 'delivered', receiver).length === idsOf(simulator).length

/** The most of these times within any so many milliseconds. */
export const mostWithin = (timesMs: readonly number[], windowMs: number): number =>
  Math.max(0, ...timesMs.map(from => timesMs.filter(at => at >= from && at < from + windowMs).length))

export const timesOf = (posts: readonly Post[]): number[] => posts.map(({ atMs }) => atMs)

/** Each event came once more than it failed, and its last attempt was taken. */
export const expectOnceMoreThanFailed = (
  bridge: Bridge,
  receiver: Receiver,
  ids: readonly string[],
): void => {
  const failures = ofEndpoint(bridge, 'attempt', receiver).filter(({ reason }) => reason !== null)
  for (const id of ids) {
    const statuses = receiver.posts.filter(post => post.id === id).map(({ status }) => status ?? 0)
    const failed = failures.filter(({ event }) => event === id).length
    expect(statuses.map(status => status < 300)).toEqual([
      ...Array.from({ length: failed }, () => false),
      true,
    ])
  }
  expect(new Set(receiver.ids())).toEqual(new Set(ids))
}

/** A record for every eighth request, while `isOn`: so that something waits. */
export const trickle = (
  simulator: RunningSimulator,
  isOn: () => boolean,
  happen: (count: number) => void,
): void => {
  let requests = 0
  simulator.setIntercept(() => {
    requests += 1
    if (requests % 8 === 0 && isOn()) happen(1)
    return undefined
  })
}
