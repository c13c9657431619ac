import { type Lane, lanes } from '../../../shared/domain/delivery/delivery-queue.ts'
import { rank } from '../../../shared/domain/delivery/position.ts'
import type { Endpoint } from '../../../shared/domain/endpoint/endpoint.ts'
import { rotateKeys } from '../../../shared/domain/endpoint/rotate-keys.ts'
import { createAddressMatch } from '../../../shared/domain/forget/address-match.ts'
import { forgetRecipient } from '../../../shared/domain/forget/forget-recipient.ts'
import { rewind } from '../../../shared/domain/polling/rewind.ts'
import { dropHeld } from '../../../shared/domain/release/drop-held.ts'
import { purgeDead } from '../../../shared/domain/replay/change-dead.ts'
import { formatSecret } from '../../../shared/domain/signing/signing-keys.ts'
import { streamNames } from '../../../shared/domain/source.ts'
import { hourMs } from '../../../shared/domain/time-units.ts'
import type { OperatorKind } from '../plan/plan.ts'
import { nameOfDelivery } from '../twins/table.ts'
import { commonDeps } from './compose.ts'
import { type At, deadPages, never, pickEndpoint, recoverOnly, replay } from './operator-replays.ts'
import { createPort } from './ports.ts'
import type { World } from './world.ts'

/** An operator's command, in a process of its own: it may die on the way as any other. */
export const operate = async (world: World, kind: OperatorKind): Promise<void> => {
  const process = world.scheduler.newProcess('operator')
  process.invocation = 1
  world.scheduler.count('operator')
  const at = { world, process, deps: commonDeps(world, process) }
  try {
    await commands[kind](at)
  } catch (error) {
    world.scheduler.note(`${process.id} fails: ${error instanceof Error ? error.message : 'an error'}`)
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
    if (state === 'removed') at.world.removed.add(endpoint.id)
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
  if (secret !== null) world.putSecret(secret, formatSecret(new Uint8Array(32).fill(version)))
  world.noteKeys(endpoint.id, [...endpoint.keys, rotation.newest])
  const found = await deps.endpoints.read(endpoint.id)
  // As the command does: read again, so that a state that was set meanwhile stays.
  if (found !== null) await deps.endpoints.put({ ...found, keys: rotation.keys })
}

const commands: Record<OperatorKind, (at: At) => Promise<void>> = {
  replay,
  recover_missing: recoverOnly('missing'),
  recover_failed: recoverOnly('failed'),
  recover_all: recoverOnly('all'),
  rewind: async ({ world, deps }) => {
    const { dice } = world.scheduler
    const [first, ...others] = world.plan.sources
    if (first === undefined) return
    const { source } = dice.pick([first, ...others])
    const toSecond = Math.floor(deps.clock.now() / 1_000) - dice.int(60, 7_200)
    const stream = dice.pick(streamNames)
    await rewind(
      { sourceId: source.id, stream, toSecond, lowerFloor: dice.chance(0.3), isDryRun: false },
      deps,
    )
  },
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
  forget: async ({ world, process, deps }) => {
    const address = `${world.scheduler.dice.pick(['jo', 'al', 'kim', 'sam'])}@example.com`
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
    const [first, ...others] = [...world.secrets.keys()].filter(name => name.startsWith('signing-'))
    if (first !== undefined) world.secrets.delete(world.scheduler.dice.pick([first, ...others]))
  },
  return_secret: async ({ world }) => {
    for (const [name, text] of world.allSecrets) world.secrets.set(name, text)
  },
}
