import type { Endpoint } from '../../../shared/domain/endpoint/endpoint.ts'
import type { ReplayPlan } from '../../../shared/domain/replay/replay-plan.ts'
import { showMomentAndAge } from '../output/moments.ts'
import type { Session } from '../session.ts'
import type { Target } from '../target/operator-bridge.ts'

export const noteGoesOn = (
  { io, clock }: Pick<Session, 'io' | 'clock'>,
  what: 'replay' | 'recover' | 'purge',
  plan: ReplayPlan,
): void =>
  io.note(
    `Goes on with the ${what} that was begun ${showMomentAndAge(plan.startedAtMs, clock.now())} and did not come to its end.`,
  )

/** What is set to waiting is sent by the bridge, to endpoints that are active: where that is not so, it is told. */
export const noteWhereNothingSends = (
  { io }: Pick<Session, 'io'>,
  { target, endpoints }: { target: Target; endpoints: readonly Endpoint[] },
): void => {
  for (const { id, state } of endpoints) {
    if (state !== 'disabled') continue
    io.note(`${id} is disabled: what is for it is held until bridge endpoint enable ${id}.`)
  }
  if (target.kind === 'local' && !target.isRunning) {
    io.note('No bridge runs on this folder now: the next one that does sends them.')
  }
}
