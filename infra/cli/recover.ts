import * as z from 'zod'
import { createReplayPlans } from '../../shared/adapters/dynamodb/replay-plans.ts'
import { recoverModes } from '../../shared/domain/replay/recover-rules.ts'
import { openPlan } from '../../shared/domain/replay/replay-plan.ts'
import { exitNotConfirmed, isConfirmed } from './asking.ts'
import { defineCommand } from './command.ts'
import { dryRunFlag, rateDefault, rateFlag } from './dlq/inputs.ts'
import { planNameOf } from './dlq/plan-name.ts'
import { noteGoesOn, noteWhereNothingSends } from './dlq/sending-notes.ts'
import { findPresentEndpoint } from './endpoint/find-endpoint.ts'
import { rangeOf, sourceFlag, streamFlag } from './events/inputs.ts'
import { exitDone, exitInterrupted } from './exit-codes.ts'
import { needed, optional, toggle } from './input.ts'
import { setOf, showRecovered } from './recover/render.ts'
import { runRecover } from './recover/run-recover.ts'
import { idValue, timeValue } from './values.ts'

export const recoverCommand = defineCommand({
  name: 'recover',
  summary: 'Deliver past events to an endpoint from the event log: what it missed, or all again',
  details: `--only missing (the default) is what the endpoint has no delivery of: so a new endpoint gets the past. failed is what was given
up for it. all is these and what was delivered or cancelled, again, with the same ids: so a customer who lost a day gets it
back. What is waiting or held goes out by itself and is left alone; what the endpoint's types and filters leave out is left out.

Sends nothing itself: it sets deliveries to waiting, with due times spread by --rate, and the releaser, which runs every
minute, sends them. So an interruption loses nothing: for a day the same command goes on where it ended, with the same range
of time, and sets nothing twice. --anew begins anew instead.`,
  examples: [
    { line: 'bridge recover --endpoint crm --since 30d', text: 'A new endpoint gets the past.' },
    { line: 'bridge recover --endpoint crm --since 2026-01-30 --until 2026-01-31 --only all --dry-run' },
    { line: 'bridge recover --endpoint crm --since 3d --only failed --rate 25' },
  ],
  confirms: true,
  input: z.object({
    endpoint: needed(idValue, { value: 'ID', text: 'the endpoint that gets them' }),
    since: needed(timeValue, {
      value: 'TIME',
      text: "from this time on, the service's: a time with its zone, a day, or how long ago, as 6h",
    }),
    until: optional(timeValue, { value: 'TIME', text: 'up to this time (default now)' }),
    only: optional(z.enum(recoverModes, { error: `must be ${recoverModes.join(', ')}` }), {
      value: 'WHICH',
      text: `${recoverModes.join(', ')} (default missing)`,
    }),
    source: sourceFlag,
    stream: streamFlag,
    rate: rateFlag,
    anew: toggle('do not go on with what was interrupted'),
    'dry-run': dryRunFlag,
  }),
  run: async (input, session) => {
    const { rate: ratePerSecond = rateDefault, anew, 'dry-run': dryRun, ...asked } = input
    const nowMs = session.clock.now()
    const range = rangeOf(input, nowMs)
    const bridge = await session.open()
    const endpoint = await findPresentEndpoint(bridge, input.endpoint)
    const only = input.only ?? 'missing'
    const name = planNameOf('recover', { ...asked, only })
    const { plan, goesOn } = await openPlan(
      { name, range, nowMs, anew: anew === true },
      createReplayPlans(bridge.table),
    )
    const { source, stream } = input
    const work = { endpoint, only, plan, ratePerSecond, source, stream }
    if (goesOn) noteGoesOn(session, 'recover', plan)
    const count = () => runRecover({ ...work, isDryRun: true }, { bridge, session })
    const shown = { ...work, goesOn }
    if (dryRun) {
      const counted = await count()
      if (!counted.complete) return exitInterrupted
      showRecovered(session, counted, { ...shown, isDryRun: true })
      return exitDone
    }
    // What was interrupted was confirmed when it began.
    if (only === 'all' && !session.yes && !goesOn) {
      const counted = await count()
      if (!counted.complete) return exitInterrupted
      const question = `Deliver ${setOf(counted)} to ${endpoint.id}, whatever it was delivered before?`
      if (!(await isConfirmed(session, question))) return exitNotConfirmed
    }
    const recovered = await runRecover({ ...work, isDryRun: false }, { bridge, session })
    if (!recovered.complete) {
      session.io.note(
        `Interrupted: ${setOf(recovered)} set to go out. The same command goes on with the rest.`,
      )
      return exitInterrupted
    }
    showRecovered(session, recovered, { ...shown, isDryRun: false })
    noteWhereNothingSends(session, { target: bridge.target, endpoints: [endpoint] })
    return exitDone
  },
})
