import * as z from 'zod'
import type { Delivery } from '../../../shared/domain/delivery/delivery.ts'
import { defineCommand } from '../command.ts'
import { findEndpoint } from '../endpoint/find-endpoint.ts'
import { eventIdArgument } from '../events/inputs.ts'
import { readStory } from '../events/story.ts'
import { exitDone } from '../exit-codes.ts'
import { CommandError } from '../failures.ts'
import type { Look } from '../output/look.ts'
import { showMomentAndAge } from '../output/moments.ts'
import { renderFields } from '../output/table.ts'
import { none } from '../output/texts.ts'
import { show } from '../session.ts'
import type { OperatorBridge } from '../target/operator-bridge.ts'
import { deliveryJson } from './delivery-json.ts'
import { endpointArgument } from './inputs.ts'
import { reasonText, renderAttempts, showPosition, standingText } from './render.ts'

export const showDelivery = defineCommand({
  name: 'show',
  summary: 'One event to one endpoint: where it stands, and its attempts with their answers',
  examples: [{ line: 'bridge deliveries show evt_01K5M3V8Q00123456789ABCDEF crm' }],
  input: z.object({ event: eventIdArgument, endpoint: endpointArgument }),
  run: async ({ event, endpoint }, session) => {
    const bridge = await session.open()
    const delivery = await findDelivery(bridge, { eventId: event, endpointId: endpoint })
    show(session, {
      json: () => deliveryJson(delivery),
      text: look => renderDelivery(look, delivery, session.clock.now()),
    })
    return exitDone
  },
})

/** Throws a `CommandError` that says why there is none, where there is none. */
export const findDelivery = async (
  bridge: OperatorBridge,
  key: { eventId: string; endpointId: string },
): Promise<Delivery> => {
  await findEndpoint(bridge, key.endpointId)
  const delivery = await bridge.store.read(key)
  if (delivery !== null) return delivery
  const story = await readStory(bridge, key.eventId)
  const matched = story?.event.endpointIds.includes(key.endpointId) === true
  if (matched) {
    throw new CommandError({
      code: 'delivery_queued',
      message: 'no attempt of this delivery is settled yet: its message is in a queue',
      hint: 'If it stays so, nothing is lost: reconcile, which runs every hour, sends it again.',
    })
  }
  throw new CommandError({
    code: 'delivery_missing',
    message:
      story === null
        ? 'the event log has no event of this id'
        : `the event did not match the endpoint "${key.endpointId}" when it was read`,
    hint: 'bridge events show tells which endpoints an event matched.',
  })
}

const renderDelivery = (look: Look, delivery: Delivery, nowMs: number): string => {
  const { dueMs, firstFailureAtMs, position, reason } = delivery
  const isUnsettled = delivery.state === 'waiting' || delivery.state === 'held'
  const at = (ms: number | null): string => (ms === null ? none : showMomentAndAge(ms, nowMs))
  const fields = renderFields(look, [
    ['Event', look.colors.bold(delivery.eventId)],
    ['Endpoint', delivery.endpointId],
    ['State', standingText(look, delivery, nowMs)],
    ['Settled last', position.attempt === 0 ? `none of round ${position.round}` : showPosition(position)],
    ['Reason', reason === null ? none : reasonText(reason)],
    ['First failure', at(firstFailureAtMs)],
    // Of what is dead the index keeps when it died.
    ...(isUnsettled && dueMs !== null ? [['Looked after', `by the releaser, ${at(dueMs)}`] as const] : []),
    ['Updated', at(delivery.updatedAtMs)],
    ['Kept until', at(delivery.expiresAtSeconds * 1_000)],
  ])
  const { attempts } = delivery
  return attempts.length === 0 ? fields : `${fields}\n\n${renderAttempts(look, delivery)}`
}
