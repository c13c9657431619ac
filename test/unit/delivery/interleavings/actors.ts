import type { SQSEvent } from 'aws-lambda'
import { createHandler as createDispatcherHandler } from '../../../../functions/dispatcher/handler.ts'
import { createHandler as createReleaserHandler } from '../../../../functions/releaser/handler.ts'
import { faultAttributes } from '../../../../shared/adapters/sqs/message-attributes.ts'
import type { Lane } from '../../../../shared/domain/delivery/delivery-queue.ts'
import type { DispatcherDeps } from '../../../../shared/domain/delivery/dispatch.ts'
import { type ReconcileDeps, reconcile } from '../../../../shared/domain/release/reconcile.ts'
import { type ReleaseDeps, release } from '../../../../shared/domain/release/release.ts'
import { dispatcherDeps, releaserDeps } from './deps.ts'
import { call, type Process, type Programs } from './programs.ts'
import {
  type Actor,
  type Message,
  nameOfMessage,
  removeMessage,
  replaceMessage,
  visibilityMs,
  type World,
} from './world.ts'

/** What a deliberate mistake changes of what an actor works with. */
export type Mistake = {
  dispatcher?: (deps: DispatcherDeps, of: { message: Message; process: Process }) => DispatcherDeps
  releaser?: <D extends ReleaseDeps & ReconcileDeps>(deps: D, process: Process) => D
}

const arns = { fast: 'arn:fast', slow: 'arn:slow' } as const
const laneOfQueue = new Map<string, Lane>([
  [arns.fast, 'fast'],
  [arns.slow, 'slow'],
])

/** A dispatcher takes a message. */
export const startDispatcher = async (
  world: World,
  message: Message,
  { programs, mistake }: { programs: Programs; mistake: Mistake },
): Promise<void> => {
  const id = freeId(world)
  replaceMessage(world, {
    ...message,
    owner: id,
    visibleAtMs: world.nowMs + visibilityMs,
  })
  const begin = (process: Process): void => {
    const deps = dispatcherDeps(process)
    const wrong = mistake.dispatcher?.(deps, { message, process })
    const handler = createDispatcherHandler({ ...(wrong ?? deps), laneOfQueue })
    void handler(eventOf(message)).then(async ({ batchItemFailures }) => {
      await endReceipt(process, batchItemFailures.length === 0)
      process.ended = true
    })
  }
  const { body, faults } = message
  const exact = JSON.stringify([body, faults])
  const name = nameOfMessage(message, world.nowMs)
  const stand = await programs.start({ exact, name, id, atMs: world.nowMs, begin })
  world.actors.push(actorOf(world, { id, kind: 'dispatcher', stand }))
}

/**
 * The lane deletes what is not reported as failed, if the message is still this receipt's. At once: dying or standing
 * still before it is the same as dying after the call before, since the code has nothing more to do.
 */
const endReceipt = (process: Process, done: boolean): Promise<boolean> => {
  const apply = (world: World, actor: Actor): boolean => {
    const message = world.messages.find(({ owner }) => owner === actor.id)
    if (message === undefined) return false
    if (done) removeMessage(world, message.id)
    else replaceMessage(world, { ...message, owner: null })
    return true
  }
  return call(process, { name: 'delete', effect: 'none', apply, faults: [] })
}

/** A run of the releaser, or of reconcile, or both as at the start of a process. */
export const startReleaser = async (
  world: World,
  kind: 'releaser' | 'reconcile' | 'start',
  { programs, mistake }: { programs: Programs; mistake: Mistake },
): Promise<void> => {
  const id = freeId(world)
  const begin = (process: Process): void => {
    const plain = releaserDeps(process)
    const deps = mistake.releaser?.(plain, process) ?? plain
    const endsAtMs = process.nowMs + 50_000
    const runs = {
      releaser: () => release({ endsAtMs }, deps),
      reconcile: () => reconcile({ endsAtMs }, deps),
      start: () => createReleaserHandler(deps)({ start: true }),
    }
    const end = (): void => {
      process.ended = true
    }
    runs[kind]().then(end, end)
  }
  const stand = await programs.start({ exact: kind, name: kind, id, atMs: world.nowMs, begin })
  world.actors.push(actorOf(world, { id, kind, stand }))
}

const actorOf = (world: World, of: Pick<Actor, 'id' | 'kind' | 'stand'>): Actor => ({
  ...of,
  startedAtMs: world.nowMs,
  deliveredAtStart: world.delivery?.state === 'delivered',
})

/** The lowest that nobody has and that no write bears: so the same states have the same names, whoever led there. */
const freeId = ({ actors, delivery, messages }: World): number => {
  const taken = new Set(actors.map(({ id }) => id))
  for (const { owner } of messages) if (owner !== null) taken.add(owner)
  if (delivery !== null) taken.add(Number.parseInt(delivery.writeId, 10))
  let id = 1
  while (taken.has(id)) id += 1
  return id
}

const eventOf = (message: Message): SQSEvent => ({
  Records: [
    {
      messageId: 'message',
      receiptHandle: 'receipt',
      body: message.body,
      attributes: {
        ApproximateReceiveCount: '1',
        SentTimestamp: '0',
        SenderId: '',
        ApproximateFirstReceiveTimestamp: '0',
      },
      messageAttributes: faultAttributes(message.faults),
      md5OfBody: '',
      eventSource: 'aws:sqs',
      eventSourceARN: arns[message.lane],
      awsRegion: '',
    },
  ],
})
