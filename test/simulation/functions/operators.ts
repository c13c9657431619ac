import { type Lane, lanes } from '../../../shared/domain/delivery/delivery-queue.ts'
import { rank } from '../../../shared/domain/delivery/position.ts'
import type { Endpoint } from '../../../shared/domain/endpoint/endpoint.ts'
import { rotateKeys } from '../../../shared/domain/endpoint/rotate-keys.ts'
import { createAddressMatch } from '../../../shared/domain/forget/address-match.ts'
import { forgetRecipient } from '../../../shared/domain/forget/forget-recipient.ts'
import { dropHeld } from '../../../shared/domain/release/drop-held.ts'
import { purgeDead } from '../../../shared/domain/replay/change-dead.ts'
import { hourMs, minuteMs } from '../../../shared/domain/time-units.ts'
import type { OperatorKind, OperatorTarget } from '../plan/plan.ts'
import { nameOfDelivery } from '../twins/table.ts'
import { commonDeps } from './compose.ts'
import { type At, deadPages, never, pickEndpoint, recoverOnly, replay } from './operator-replays.ts'
import { retryQuarantined, rewind, setSource } from './operator-sources.ts'
import { createPort } from './ports.ts'
import { secretsOf, signingSecretOf } from './secrets.ts'
import { searchError } from './telemetry.ts'
import type { World } from './world.ts'

/** When somebody whose command died gives it once more. */
const repeatedAfterMs = minuteMs

/** An operator's command, in a process of its own: it may die on the way as any other. */
export const operate = async (
  world: World,
  kind: OperatorKind,
  target: OperatorTarget = {},
): Promise<void> => {
  const { scheduler } = world
  const process = scheduler.newProcess('operator', kind)
  process.invocation = 1
  scheduler.count('operator')
  if (world.plan.repeatsCommands) {
    process.onDeath = () => {
      const atMs = scheduler.now() + repeatedAfterMs
      scheduler.at(atMs, 'operator', `${kind} again`, () => void operate(world, kind, target))
    }
  }
  const at = { world, process, deps: commonDeps(world, process), target }
  try {
    await commands[kind](at)
  } catch (error) {
    searchError(world, process, error)
    scheduler.note(`${process.id} fails: ${error instanceof Error ? error.message : 'an error'}`)
  }
}

/** PurgeQueue. What was enqueued within the hour has no other copy but the log's, and is reconcile's to send again. */
export const emptyLanes = ({ queues, scheduler, table }: World): void => {
  const sinceMs = scheduler.now() - hourMs
  for (const lane of lanes) {
    const gone = queues.empty(lane, ({ decoded, sentAtMs }) => {
      if (decoded.kind !== 'message' || decoded.message.deliveredBy !== null) return false
      const loggedAtMs = table.seen.events.get(decoded.message.eventId)?.loggedAtMs ?? scheduler.now()
      return sentAtMs > sinceMs && loggedAtMs > sinceMs
    })
    scheduler.note(`${gone} messages are gone`)
  }
}

const setState =
  (state: Endpoint['state']) =>
  async (at: At): Promise<void> => {
    const endpoint = await pickEndpoint(at)
    // What was removed stays removed.
    if (endpoint === null || endpoint.state === 'removed') return
    const reason = state === 'active' ? null : 'endpoint_disabled'
    await at.deps.endpoints.setState({ id: endpoint.id, state, reason, atMs: at.deps.clock.now() })
  }

const rotate = async (at: At): Promise<void> => {
  const { world, deps } = at
  const endpoint = await pickEndpoint(at)
  if (endpoint === null || endpoint.state === 'removed') return
  const secretOf = (version: number): string | null =>
    world.scheduler.dice.chance(0.5) ? `signing-${endpoint.id}-${version}` : null
  const rotation = rotateKeys(endpoint.keys, { secretOf, overlapMs: 24 * hourMs, nowMs: deps.clock.now() })
  if (rotation.kind !== 'rotated') return
  const { secret, version } = rotation.newest
  if (secret !== null) world.putSecret(secret, signingSecretOf(version))
  world.noteKeys(endpoint.id, [...endpoint.keys, rotation.newest])
  const found = await deps.endpoints.read(endpoint.id)
  // As the command does: read again, so that a state that was set meanwhile stays.
  if (found !== null) await deps.endpoints.put({ ...found, keys: rotation.keys })
}

/** The next of those that the plan has; where the one before it died half-way, it is there or not. */
const add = async ({ world, deps }: At): Promise<void> => {
  const known = new Set((await deps.endpoints.list()).map(({ id }) => id))
  const planned = world.plan.addable.find(({ endpoint }) => !known.has(endpoint.id))
  if (planned === undefined) return
  const { endpoint } = planned
  for (const [name, text] of secretsOf(planned)) world.putSecret(name, text)
  world.noteAdded(planned)
  await deps.endpoints.put(endpoint)
}

const commands: Record<OperatorKind, (at: At) => Promise<void>> = {
  replay,
  recover_missing: recoverOnly('missing'),
  recover_failed: recoverOnly('failed'),
  recover_all: recoverOnly('all'),
  rewind,
  add,
  pause: setSource('paused'),
  resume: setSource('active'),
  retry_quarantined: retryQuarantined,
  disable: setState('disabled'),
  enable: setState('active'),
  remove: setState('removed'),
  drop_held: async at => {
    const endpoint = await pickEndpoint(at)
    if (endpoint?.state !== 'disabled') return
    await dropHeld({ endpointId: endpoint.id, signal: never, onProgress: () => undefined }, at.deps)
  },
  purge: async at => {
    const endpoint = await pickEndpoint(at)
    if (endpoint === null) return
    const pages = deadPages(at, [endpoint.id])
    await purgeDead({ pages, signal: never, onProgress: () => undefined }, at.deps)
  },
  rotate,
  redrive: async ({ world }) => {
    const lane = world.scheduler.dice.pick<Lane>(['fast', 'slow'])
    for (const { id, decoded } of world.queues.redrive(lane, 100)) {
      world.scheduler.note(`${id} is redriven`)
      if (decoded.kind !== 'message' || decoded.message.deliveredBy !== null) continue
      const name = nameOfDelivery(decoded.message)
      const delivery = world.table.seen.deliveries.get(name)
      if (delivery?.state === 'dead' && rank(decoded.message) > rank(delivery.position)) {
        world.redriven.set(name, decoded.message.round)
      }
    }
    world.notePumped(lane)
  },
  empty_lane: async ({ world }) => world.armEmptying(),
  forget: async ({ world, process, deps, target }) => {
    const address = target.address ?? `${world.scheduler.dice.pick(['jo', 'al', 'kim', 'sam'])}@example.com`
    const match = createAddressMatch(address)
    if (match === null) return
    world.noteForgotten(address)
    const port = createPort(world, process)
    const items = world.table.forgettable()
    const endpoints = await deps.endpoints.list()
    await forgetRecipient(
      {
        match,
        endpointIds: endpoints.map(({ id }) => id),
        isDryRun: false,
        signal: never,
        onLooked: () => undefined,
      },
      {
        ...deps,
        items: {
          page: port.read('page of all', items.page),
          forgetEvent: port.write('forget event', items.forgetEvent),
          forgetQuarantined: port.write('forget record', items.forgetQuarantined),
        },
      },
    )
  },
  lose_secret: async ({ world }) => {
    const [first, ...others] = [...world.secrets.keys()].filter(name =>
      /^(signing|authorization)-/.test(name),
    )
    if (first !== undefined) world.secrets.delete(world.scheduler.dice.pick([first, ...others]))
  },
  return_secret: async ({ world }) => {
    for (const [name, text] of world.allSecrets) world.secrets.set(name, text)
  },
}
