import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import type { Standing } from '../../../shared/domain/release/count-standing.ts'
import { dropHeld } from '../../../shared/domain/release/drop-held.ts'
import { recoveryPerSecondFirst } from '../../../shared/domain/release/release-pace.ts'
import { exitNotConfirmed, isConfirmed } from '../asking.ts'
import { defineCommand } from '../command.ts'
import { exitDone, exitFailed, exitInterrupted } from '../exit-codes.ts'
import { UsageError } from '../failures.ts'
import { toggle } from '../input.ts'
import { counted } from '../output/texts.ts'
import { type Session, show } from '../session.ts'
import { endpointJson } from './endpoint-view.ts'
import { findEndpoint, findPresentEndpoint } from './find-endpoint.ts'
import { endpointIdArgument } from './inputs.ts'
import { readStanding } from './standing.ts'

type WhatIsHeld = 'release' | 'drop'

const input = z
  .object({
    id: endpointIdArgument,
    release: toggle('deliver what is held, with what comes from now on'),
    drop: toggle('cancel what is held: it is never delivered'),
  })
  .refine(({ release, drop }) => release === undefined || drop === undefined, {
    error: '--release and --drop: give one of them',
  })

export const enableEndpoint = defineCommand({
  name: 'enable',
  summary: 'Send to an endpoint again, and say what becomes of what is held for it',
  details:
    'Where anything is held, --release or --drop must say what becomes of it. Releasing begins within a minute. What\n' +
    'waits for another attempt is tried in either case. If --drop is interrupted, the endpoint is still disabled, and the\n' +
    'same command goes on.',
  examples: [
    { line: 'bridge endpoint enable crm --release' },
    { line: 'bridge endpoint enable crm --drop --yes' },
  ],
  confirms: true,
  input,
  run: async (asked, session) => {
    const bridge = await session.open()
    const { id } = asked
    const endpoint = await findPresentEndpoint(bridge, id)
    const { held } = await readStanding(bridge, id, session.clock.now())
    const wanted = asked.release ? 'release' : asked.drop ? 'drop' : null
    const what = held.count === 0 ? (wanted ?? 'release') : (wanted ?? (await choose(session, held)))
    if (what === null) return exitFailed
    if (endpoint.state === 'active' && what === 'drop') {
      throw new UsageError([`--drop: ${id} is active; what is held for it goes out by itself`])
    }
    let dropped = 0
    if (what === 'drop' && held.count > 0) {
      const question = `Drop ${heldText(held)} of ${id}? They are never delivered.`
      if (!(await isConfirmed(session, question))) return exitNotConfirmed
      const done = await dropHeld(
        { endpointId: id, signal: session.signal, onProgress: tellProgress(session) },
        { store: bridge.store, clock: session.clock, newId: randomUUID },
      )
      session.io.progress('')
      dropped = done.dropped
      if (!done.complete) {
        session.io.note(
          `Interrupted: ${dropped} dropped, ${id} is still disabled; run the same command again.`,
        )
        return exitInterrupted
      }
    }
    await bridge.endpoints.setState({ id, state: 'active', reason: null, atMs: session.clock.now() })
    const enabled = await findEndpoint(bridge, id)
    const released = what === 'release' ? held.count : 0
    show(session, {
      json: () => ({ ...endpointJson(enabled), released, dropped }),
      text: ({ colors }) =>
        `${colors.green('Enabled')} the endpoint ${id}. ${outcome(what, { held, dropped })}`.trim(),
    })
    return exitDone
  },
})

const heldText = ({ count, atLeast }: Standing): string =>
  `${atLeast ? 'at least ' : ''}${counted(count, 'held delivery', 'held deliveries')}`

const outcome = (what: WhatIsHeld, { held, dropped }: { held: Standing; dropped: number }): string => {
  if (what === 'drop' && dropped > 0)
    return `${counted(dropped, 'held delivery', 'held deliveries')} dropped.`
  if (held.count === 0 || what === 'drop') return ''
  const are = held.count === 1 && !held.atLeast ? 'is' : 'are'
  return `${capital(heldText(held))} ${are} released by and by, ${recoveryPerSecondFirst} a second at first.`
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

const choose = async ({ io }: Session, held: Standing): Promise<WhatIsHeld | null> => {
  const question = `There are ${heldText(held)}. What is to become of them?`
  if (!io.isInteractive) {
    throw new UsageError([`there are ${heldText(held)}: say --release or --drop`])
  }
  const answer = await io.choose(question, [
    { value: 'release', label: 'Release: deliver them' },
    { value: 'drop', label: 'Drop: never deliver them' },
  ])
  if (answer === 'release' || answer === 'drop') return answer
  io.note('Nothing was done.')
  return null
}

const progressAfterMs = 2_000

const tellProgress = ({ io, clock }: Session): ((dropped: number) => void) => {
  const startedMs = clock.now()
  return dropped => {
    if (clock.now() - startedMs >= progressAfterMs)
      io.progress(`${dropped.toLocaleString('en-US')} dropped …`)
  }
}
