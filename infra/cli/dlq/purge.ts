import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { createReplayPlans } from '../../../shared/adapters/dynamodb/replay-plans.ts'
import { decodeMessage } from '../../../shared/domain/delivery/delivery-message.ts'
import { purgeDead } from '../../../shared/domain/replay/change-dead.ts'
import { openPlan, type ReplayPlan } from '../../../shared/domain/replay/replay-plan.ts'
import { exitNotConfirmed, isConfirmed } from '../asking.ts'
import { defineCommand } from '../command.ts'
import { endpointsOf } from '../deliveries/find-deliveries.ts'
import { rangeOf } from '../events/inputs.ts'
import { type ExitCode, exitDone, exitInterrupted } from '../exit-codes.ts'
import { toggle } from '../input.ts'
import { counted } from '../output/texts.ts'
import { type Session, show } from '../session.ts'
import type { OperatorBridge } from '../target/operator-bridge.ts'
import { copiesText, removeSpentCopies } from './copies.ts'
import { countDead, renderGroups, searchWithProgress } from './counting.ts'
import type { ToFind } from './find-dead.ts'
import { choosesAny, deadLetterFlags, dryRunFlag, everyError, everyFlag, selectionOf } from './inputs.ts'
import { planNameOf } from './plan-name.ts'
import { noteGoesOn } from './sending-notes.ts'
import { lookWithProgress } from './unreadable.ts'

const waysOf = (input: Readonly<Record<string, unknown>>): number =>
  Number(choosesAny(input)) + Number(input['all'] === true) + Number(input['unreadable'] === true)

export const purgeDeadLetters = defineCommand({
  name: 'purge',
  summary: 'Give dead letters up for good: they are cancelled, and never delivered',
  details: `Their events stay in the event log: bridge recover --only all can still deliver them. What was given up after the
command began is left. After an interruption the same command goes on, for a day in the same range of time although --until
says how long ago. With --unreadable, messages of the dead-letter queue that no code can read are deleted; those of a newer
version are kept for it.`,
  examples: [
    { line: 'bridge dlq purge --endpoint crm --reason http_404 --dry-run' },
    { line: 'bridge dlq purge --endpoint crm --until 7d --yes' },
    { line: 'bridge dlq purge --unreadable' },
  ],
  confirms: true,
  input: z
    .object({
      ...deadLetterFlags,
      all: everyFlag,
      unreadable: toggle('messages that no code can read, in place of deliveries'),
      'dry-run': dryRunFlag,
    })
    .refine(input => waysOf(input) > 0, { error: everyError })
    .refine(input => !input.unreadable || waysOf(input) === 1, {
      error: '--unreadable: of such messages nothing else is known; give it alone',
    }),
  run: async (input, session) => {
    const { all: _, unreadable, 'dry-run': dryRun, ...asked } = input
    const nowMs = session.clock.now()
    const range = rangeOf(input, nowMs)
    const isDryRun = dryRun === true
    const bridge = await session.open()
    if (unreadable) return purgeUnreadable(bridge, session, isDryRun)
    const { plan, goesOn } = await openPlan(
      { name: planNameOf('purge', asked), range, nowMs, anew: false },
      createReplayPlans(bridge.table),
    )
    const toFind: ToFind = {
      endpointIds: await endpointsOf(bridge, input),
      selection: selectionOf(input),
      range: plan,
      eventIds: input.ids ?? null,
      // Nobody has been asked about what dies while the question stands.
      diedBeforeMs: plan.startedAtMs,
      order: 'oldest',
    }
    const { total, groups } = await countDead(toFind, { bridge, session })
    if (session.signal.aborted) return exitInterrupted
    if (isDryRun || (total === 0 && !goesOn)) {
      show(session, {
        json: () => ({ dryRun: isDryRun, ...(isDryRun ? { deadLetters: total, groups } : nothingPurged) }),
        text: look =>
          total === 0
            ? 'There are no such dead letters.'
            : `${renderGroups(look, groups)}\n\n${counted(total, 'dead letter')} would be purged. Nothing was done.`,
      })
      return exitDone
    }
    if (goesOn) noteGoesOn(session, 'purge', plan)
    const question = `Purge ${counted(total, 'dead letter')}? They are never delivered.`
    if (total > 0 && !(await isConfirmed(session, question))) return exitNotConfirmed
    const exitCode = await purge({ toFind, plan }, bridge, session)
    if (goesOn && exitCode === exitDone) session.io.note(leftSince)
    return exitCode
  },
})

const nothingPurged = { purged: 0, movedOn: 0, copiesRemoved: 0 }

const leftSince = 'What was given up since it was begun is left; the same command, given again, purges it.'

const purge = async (
  { toFind, plan }: { toFind: ToFind; plan: ReplayPlan },
  bridge: OperatorBridge,
  session: Session,
): Promise<ExitCode> => {
  const plans = createReplayPlans(bridge.table)
  let changed = 0
  const doing = (): string => `${changed.toLocaleString('en-US')} purged …`
  const { pages, progress } = await searchWithProgress(toFind, { bridge, session, doing })
  const onProgress = (done: { changed: number }): void => {
    changed = done.changed
  }
  const { store } = bridge
  await plans.put(plan)
  const { purged, movedOn, complete } = await purgeDead(
    { pages, signal: session.signal, onProgress },
    { store, clock: session.clock, newId: randomUUID },
  )
  progress.end()
  if (!complete) {
    session.io.note(`Interrupted: ${purged} purged. The same command goes on with the rest.`)
    return exitInterrupted
  }
  await plans.remove(plan.name)
  const copiesRemoved = await removeSpentCopies(bridge, session)
  show(session, {
    json: () => ({ dryRun: false, purged, movedOn, copiesRemoved }),
    text: ({ colors }) => {
      const left = movedOn === 0 ? '' : ` ${movedOn} moved on by themselves meanwhile.`
      return `${colors.green('Purged')} ${counted(purged, 'dead letter')}.${left}${copiesText(copiesRemoved)}`
    },
  })
  return exitDone
}

const isUnreadable = ({ body }: { body: string }): boolean => decodeMessage(body).kind === 'unreadable'

const purgeUnreadable = async (
  bridge: OperatorBridge,
  session: Session,
  isDryRun: boolean,
): Promise<ExitCode> => {
  let found = 0
  const count = async (messages: readonly { body: string }[]) => {
    found += messages.filter(isUnreadable).length
    return []
  }
  await lookWithProgress(count, bridge, session)
  if (session.signal.aborted) return exitInterrupted
  const question = `Delete ${counted(found, 'message')} that no code can read? There is no other copy.`
  const isToDo = !isDryRun && found > 0
  if (isToDo && !(await isConfirmed(session, question))) return exitNotConfirmed
  const judge: Parameters<typeof lookWithProgress>[0] = async messages => messages.filter(isUnreadable)
  const { removed } = isToDo ? await lookWithProgress(judge, bridge, session) : { removed: 0 }
  if (session.signal.aborted) return exitInterrupted
  show(session, {
    json: () => ({ dryRun: isDryRun, unreadable: found, removed }),
    text: ({ colors }) => {
      if (found === 0) return 'There are no messages in the dead-letter queue that can not be read.'
      return isDryRun
        ? `${counted(found, 'message')} would be deleted. Nothing was done.`
        : `${colors.green('Deleted')} ${counted(removed, 'message')}.`
    },
  })
  return exitDone
}
