import type { World } from '../functions/world.ts'
import { nameOfDelivery } from '../twins/table.ts'
import type { CrashRun } from './run.ts'
import { atMs, atSecond, sourceId } from './scenario-time.ts'

/** Each kind of trouble that the scenario is to have, and how its run shows that it came. */
export const kindsOfTrouble: Record<string, (run: CrashRun) => boolean> = {
  'a start at latest: what is before it is logged for nobody': ({ simulation }) =>
    [...simulation.world.table.seen.events.values()].filter(({ endpointIds }) => endpointIds.length === 0)
      .length === 3,
  'ties at one second, and pages smaller than these': ({ simulation }) =>
    (simulation.world.services.get(sourceId)?.requests ?? []).some(({ nextQuery }) => nextQuery !== null),
  'a record that comes late, within the overlap': run => isLogged(run, 'late'),
  'one that only a sweep finds': run => {
    const at = loggedAtMs(run, 'later')
    const anchors = run.simulation.rules.commits.filter(
      ({ key, after, atMs: committedMs }) =>
        key.name === 'main' && key.stream === 'bounces' && committedMs < at && after.anchor !== null,
    )
    return at < Number.POSITIVE_INFINITY && (anchors.at(-1)?.after.anchor?.second ?? 0) > atSecond(2)
  },
  'a record that nobody can read': ({ simulation }) =>
    simulation.world.table.quarantine.all().some(({ text }) => text.includes('unreadable')),
  'one that the queue refuses, and an operator retries': run => {
    const [record] = run.simulation.world.table.quarantine
      .all()
      .filter(({ text }) => text.includes('refused'))
    return record !== undefined && run.simulation.world.table.isTakenOut(record) && isLogged(run, 'refused')
  },
  'a lost anchor': ({ simulation }) => simulation.rules.commits.some(({ after }) => after.anchorsLost > 0),
  'an attempt that fails and is tried again by the queue': run => calls(run, 'dispatcher', 'send') > 0,
  'one that waits for longer than a queue delays': run => calls(run, 'releaser', 'moveDue waiting') > 0,
  'a breaker that opens, and closes by a probe': ({ simulation }) => {
    const down = simulation.endpoints().get('down')
    return down?.health.open === null && down.health.readySinceMs !== null
  },
  'deliveries that are held, and released': run =>
    calls(run, 'dispatcher', 'write held') > 0 && calls(run, 'releaser', 'moveDue held') > 0,
  'an endpoint that says 410, and an operator who is told once and enables it': run =>
    run.simulation.world.told.join() === 'gone' &&
    calls(run, 'dispatcher', 'set disabled') > 0 &&
    calls(run, 'operator enable', 'set active') > 0,
  'an endpoint that takes one at a time, and is slow': run =>
    calls(run, 'dispatcher', 'write pace') > 0 && calls(run, 'dispatcher', 'setSlow') > 0,
  'messages that are deleted early, beside a slow one': run => calls(run, 'dispatcher', 'delete early') > 0,
  'dead letters': run => calls(run, 'dispatcher', 'send dead') >= 3,
  'a dead letter that AWS’s redrive puts back, and is delivered': ({ simulation }) =>
    [...simulation.world.redriven.keys()].some(name => stateOf(simulation.world, name) === 'delivered'),
  'a lane that is emptied, and reconcile that sends what was in it': run =>
    calls(run, 'releaser', 'eventIds') > 0 && isDelivered(run, 'purged'),
  'a replay and a recover of what failed': run =>
    calls(run, 'operator replay', 'write waiting') > 0 &&
    calls(run, 'operator recover_failed', 'write waiting') > 0,
  'an endpoint that is added, and recovers what it missed': run =>
    calls(run, 'operator recover_missing', 'write waiting') > 0 &&
    [...run.measured.acceptedAtMs.keys()].some(name => name.startsWith('newcomer ')),
  'a rewind': run => calls(run, 'operator rewind', 'commit main') > 0,
  'a rotation of keys': run => (run.simulation.endpoints().get('well')?.keys.length ?? 0) > 1,
  'a recipient who is forgotten': run => calls(run, 'operator forget', 'forget event') > 0,
  heartbeats: run => run.measured.heartbeats > 1,
}

const calls = ({ points }: CrashRun, process: string, call: string): number =>
  points.filter(point => point.process === process && point.call === call).length

const loggedAtMs = ({ simulation }: CrashRun, uuid: string): number =>
  [...simulation.world.table.seen.events.values()].find(({ recordId }) => recordId === uuid)?.loggedAtMs ??
  Number.POSITIVE_INFINITY

const isLogged = (run: CrashRun, uuid: string): boolean => loggedAtMs(run, uuid) < atMs(24 * 60)

const stateOf = ({ table }: World, name: string): string | undefined => table.seen.deliveries.get(name)?.state

const isDelivered = ({ simulation }: CrashRun, uuid: string): boolean =>
  [...simulation.world.table.seen.events.values()]
    .filter(({ recordId }) => recordId === uuid)
    .every(
      ({ id, endpointIds }) =>
        endpointIds.length > 0 &&
        endpointIds.every(
          endpointId =>
            stateOf(simulation.world, nameOfDelivery({ endpointId, eventId: id })) === 'delivered',
        ),
    )
