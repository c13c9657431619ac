import { randomUUID } from 'node:crypto'
import type { Delivery } from '../../../shared/domain/delivery/delivery.ts'
import { beginNextRound } from '../../../shared/domain/replay/next-round.ts'
import { exitNotConfirmed, isConfirmed } from '../asking.ts'
import { findEndpoint } from '../endpoint/find-endpoint.ts'
import { type ExitCode, exitDone } from '../exit-codes.ts'
import { CommandError, RefusedError } from '../failures.ts'
import type { Look } from '../output/look.ts'
import { type Session, show } from '../session.ts'
import { deliveryJson } from './delivery-json.ts'
import { standingText } from './render.ts'
import { type WhyLeft, whyLeft } from './retry-rules.ts'
import { findDelivery } from './show.ts'

/** Sets one delivery to waiting in its next round; what is so already stays as it is. */
export const retryOne = async (
  key: { eventId: string; endpointId: string },
  { isDryRun }: { isDryRun: boolean },
  session: Session,
): Promise<ExitCode> => {
  const { clock } = session
  const bridge = await session.open()
  const endpoint = await findEndpoint(bridge, key.endpointId)
  const delivery = await findDelivery(bridge, key)
  const left = whyLeft(delivery, { isRemoved: endpoint.state === 'removed', nowMs: clock.now() })
  if (left !== null && left !== 'setBefore') throw refused(left, delivery)
  if (left === null && !isDryRun) {
    if (!(await mayGoAgain(delivery, session))) return exitNotConfirmed
    const begin = { dueMs: clock.now(), reason: 'replayed_by_operator' } as const
    const deps = { store: bridge.store, clock, newId: randomUUID }
    if ((await beginNextRound(delivery, begin, deps)) === 'moved_on') throw movedOn()
  }
  const after = await findDelivery(bridge, key)
  const disabled =
    endpoint.state === 'disabled' ? ' The endpoint is disabled: it is held until that is enabled.' : ''
  const nowMs = clock.now()
  show(session, {
    json: () => ({ ...deliveryJson(after), dryRun: isDryRun, set: left === null && !isDryRun }),
    text: look => `${outcome(look, after, { isDryRun, wasSet: left === 'setBefore', nowMs })}${disabled}`,
  })
  return exitDone
}

const outcome = (
  look: Look,
  delivery: Delivery,
  { isDryRun, wasSet, nowMs }: { isDryRun: boolean; wasSet: boolean; nowMs: number },
): string => {
  const standing = standingText(look, delivery, nowMs)
  if (wasSet) return `Is set already: ${standing}.`
  if (isDryRun) return `Would be set to waiting; now it is ${standing}.`
  const attempt = `attempt 1 of round ${delivery.position.round}`
  return `${look.colors.green('Set to waiting')}, for ${attempt}: the releaser sends it within a minute or so.`
}

/** What was settled for good, somebody must want again. */
const mayGoAgain = async ({ state, reason }: Delivery, session: Session): Promise<boolean> => {
  if (state === 'delivered') return isConfirmed(session, 'It was delivered. Send it again?')
  if (state === 'cancelled') return isConfirmed(session, `It was cancelled (${reason}). Send it after all?`)
  return true
}

const refused = (why: Exclude<WhyLeft, 'setBefore'>, { endpointId, reason }: Delivery): RefusedError => {
  switch (why) {
    case 'held':
      return new RefusedError({
        code: 'delivery_held',
        message: `the delivery is held: ${reason}`,
        hint: `It goes out by itself when the endpoint is ready: bridge endpoint show ${endpointId}.`,
      })
    case 'expired':
      return new RefusedError({
        code: 'event_expired',
        message: 'the event is past its life: there is nothing to send any more',
        hint: 'The event log keeps events for five weeks.',
      })
    case 'forgotten':
      return new RefusedError({
        code: 'event_forgotten',
        message: "the event's recipient was forgotten: there is nothing to send any more",
        hint: 'Only its id, its time and its record id are kept, so that it is not read again.',
      })
    case 'endpointRemoved':
      return new RefusedError({
        code: 'endpoint_removed',
        message: `the endpoint "${endpointId}" was removed`,
        hint: 'Add it again under another id, and give it the past with bridge recover.',
      })
  }
}

const movedOn = (): CommandError =>
  new CommandError({
    code: 'delivery_moved_on',
    message: 'an attempt was settled in this moment; nothing was done',
    hint: 'Look where it stands with bridge deliveries show, and run it again if need be.',
  })
