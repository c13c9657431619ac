import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { decodeMessage } from '../../../shared/domain/delivery/delivery-message.ts'
import { purgeDead } from '../../../shared/domain/replay/change-dead.ts'
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
import { lookWithProgress } from './unreadable.ts'

const waysOf = (input: Readonly<Record<string, unknown>>): number =>
  Number(choosesAny(input)) + Number(input['all'] === true) + Number(input['unreadable'] === true)

export const purgeDeadLetters = defineCommand({
  name: 'purge',
  summary: 'Give dead letters up for good: they are cancelled, and never delivered',
  details: `Their events stay in the event log: bridge recover --only all can still deliver them. What was purged is dead no more, so
that the same command goes on after an interruption. With --unreadable, messages of the dead-letter queue that no code can
read are deleted; those of a newer version are kept for it.`,
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
    const range = rangeOf(input, session.clock.now())
    const isDryRun = input['dry-run'] === true
    const bridge = await session.open()
    if (input.unreadable) return purgeUnreadable(bridge, session, isDryRun)
    const toFind: ToFind = {
      endpointIds: await endpointsOf(bridge, input),
      selection: selectionOf(input),
      range,
      eventIds: input.ids ?? null,
      order: 'oldest',
    }
    const { total, groups } = await countDead(toFind, { bridge, session })
    if (session.signal.aborted) return exitInterrupted
    if (isDryRun || total === 0) {
      show(session, {
        json: () => ({ dryRun: isDryRun, ...(isDryRun ? { deadLetters: total, groups } : nothingPurged) }),
        text: look =>
          total === 0
            ? 'There are no such dead letters.'
            : `${renderGroups(look, groups)}\n\n${counted(total, 'dead letter')} would be purged. Nothing was done.`,
      })
      return exitDone
    }
    const question = `Purge ${counted(total, 'dead letter')}? They are never delivered.`
    if (!(await isConfirmed(session, question))) return exitNotConfirmed
    return purge(toFind, bridge, session)
  },
})

const nothingPurged = { purged: 0, movedOn: 0, copiesRemoved: 0 }

const purge = async (toFind: ToFind, bridge: OperatorBridge, session: Session): Promise<ExitCode> => {
  let changed = 0
  const doing = (): string => `${changed.toLocaleString('en-US')} purged …`
  const { pages, progress } = await searchWithProgress(toFind, { bridge, session, doing })
  const onProgress = (done: { changed: number }): void => {
    changed = done.changed
  }
  const { store } = bridge
  const { purged, movedOn, complete } = await purgeDead(
    { pages, signal: session.signal, onProgress },
    { store, clock: session.clock, newId: randomUUID },
  )
  progress.end()
  if (!complete) {
    session.io.note(`Interrupted: ${purged} purged. The same command goes on with the rest.`)
    return exitInterrupted
  }
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
