import * as z from 'zod'
import type { Delivery } from '../../../shared/domain/delivery/delivery.ts'
import type { DeadLetterMessage } from '../../../shared/domain/replay/dead-letter-messages.ts'
import { defineCommand } from '../command.ts'
import { deliveryJson } from '../deliveries/delivery-json.ts'
import { endpointsOf } from '../deliveries/find-deliveries.ts'
import { renderAttempts, showPosition, standingText } from '../deliveries/render.ts'
import { type ExitCode, exitDone } from '../exit-codes.ts'
import { CommandError, UsageError } from '../failures.ts'
import { argument } from '../input.ts'
import { isoOf, showMomentAndAge } from '../output/moments.ts'
import { printable } from '../output/printable.ts'
import { renderFields } from '../output/table.ts'
import { none } from '../output/texts.ts'
import { type Session, show } from '../session.ts'
import type { OperatorBridge } from '../target/operator-bridge.ts'
import { idValue } from '../values.ts'
import { lookWithProgress, whyUnreadable } from './unreadable.ts'

export const showDeadLetter = defineCommand({
  name: 'show',
  summary: 'A dead letter: why it was given up, and its attempts with their answers',
  details: `ID is an event's id; ENDPOINT may be left out where the event is dead for one endpoint alone. Or ID is that of a message
of the dead-letter queue that no code can read: it is shown raw.`,
  examples: [
    { line: 'bridge dlq show evt_01K5M3V8Q00123456789ABCDEF crm' },
    { line: 'bridge dlq show 5fea7756-0ea4-451a-a703-a558b933e274' },
  ],
  input: z.object({
    id: argument(
      z.string().regex(/^[\w-]{1,128}$/, { error: 'must be the id of an event or of a message' }),
      {
        value: 'ID',
        text: "the event's id, or the message's",
      },
    ),
    endpoint: argument(idValue.optional(), { value: 'ENDPOINT', text: "the endpoint's id" }),
  }),
  run: async ({ id, endpoint }, session) => {
    const isEvent = id.startsWith('evt_')
    if (!isEvent && endpoint !== undefined) {
      throw new UsageError(['ENDPOINT: belongs to an event, and this is no id of one'])
    }
    const bridge = await session.open()
    return isEvent ? showDead(bridge, { id, endpoint }, session) : showMessage(bridge, id, session)
  },
})

const showDead = async (
  bridge: OperatorBridge,
  of: { id: string; endpoint: string | undefined },
  session: Session,
): Promise<ExitCode> => {
  const endpointIds = await endpointsOf(bridge, of)
  const found = await bridge.store.readMany(endpointIds.map(endpointId => ({ endpointId, eventId: of.id })))
  const dead = found.filter(({ state }) => state === 'dead')
  const [delivery] = dead
  if (delivery === undefined) throw notDead(found)
  if (dead.length > 1) {
    const ids = dead.map(({ endpointId }) => endpointId).toSorted()
    throw new UsageError([`ENDPOINT: the event is dead for ${ids.join(', ')}: say which`])
  }
  const event = await bridge.log.read(delivery)
  const nowMs = session.clock.now()
  show(session, {
    json: () => ({ ...deliveryJson(delivery), type: event?.type ?? null }),
    text: look => {
      const { position } = delivery
      const fields = renderFields(look, [
        ['Event', look.colors.bold(delivery.eventId)],
        ['Type', event === null ? 'not in the event log any more' : event.type],
        ['Endpoint', delivery.endpointId],
        ['State', standingText(look, delivery, nowMs)],
        ['Settled last', position.attempt === 0 ? `none of round ${position.round}` : showPosition(position)],
        ['Kept until', showMomentAndAge(delivery.expiresAtSeconds * 1_000, nowMs)],
      ])
      return delivery.attempts.length === 0 ? fields : `${fields}\n\n${renderAttempts(look, delivery)}`
    },
  })
  return exitDone
}

const notDead = (found: readonly Delivery[]): CommandError =>
  new CommandError({
    code: 'not_dead',
    message:
      found.length === 0
        ? 'there is no delivery of this event there'
        : `the event is no dead letter: ${found.map(({ endpointId, state }) => `${state} for ${endpointId}`).join(', ')}`,
    hint: 'bridge dlq list shows the dead letters; bridge events show tells all of an event.',
  })

const showMessage = async (bridge: OperatorBridge, id: string, session: Session): Promise<ExitCode> => {
  const found: DeadLetterMessage[] = []
  const enough = new AbortController()
  const judge = async (messages: readonly DeadLetterMessage[]) => {
    found.push(...messages.filter(({ messageId }) => messageId === id))
    if (found.length > 0) enough.abort()
    return []
  }
  const signal = AbortSignal.any([session.signal, enough.signal])
  await lookWithProgress(judge, bridge, { ...session, signal })
  const [message] = found
  if (message === undefined) {
    throw new CommandError({
      code: 'message_missing',
      message: 'the dead-letter queue showed no message of this id',
      hint: 'Somebody else may be looking at it: try again in two minutes. bridge dlq list --unreadable shows those there are.',
    })
  }
  const reason = whyUnreadable(message)
  show(session, {
    json: () => ({ message: id, sentAt: isoOf(message.sentAtMs), reason, body: message.body }),
    text: look => {
      const fields = renderFields(look, [
        ['Message', look.colors.bold(id)],
        ['Sent', showMomentAndAge(message.sentAtMs, session.clock.now())],
        ['Not readable', reason === null ? none : printable(reason)],
        ['Bytes', Buffer.byteLength(message.body).toLocaleString('en-US')],
      ])
      // To a file or a pipe byte for byte; a terminal might act on what is in it.
      return `${fields}\n\n${look.columns === null ? message.body : printable(message.body)}`
    },
  })
  return exitDone
}
