import * as z from 'zod'
import { exitNotConfirmed, isConfirmed } from './asking.ts'
import { defineCommand } from './command.ts'
import { type ExitCode, exitDone, exitFailed, exitInterrupted } from './exit-codes.ts'
import { readAddress } from './forget/read-address.ts'
import { forgottenJson, renderForgotten } from './forget/render.ts'
import { type Forgotten, isNothing, runForget } from './forget/run-forget.ts'
import { stillHeld } from './forget/still-held.ts'
import { needed, toggle } from './input.ts'
import { counted } from './output/texts.ts'
import { type Session, show } from './session.ts'
import type { OperatorBridge } from './target/operator-bridge.ts'

export const forgetCommand = defineCommand({
  name: 'forget',
  summary: 'Forget a recipient: nothing of the address stays in the bridge',
  details: `Of each event of the recipient there stays its id, its time and its record id, so that it is not read and sent again; its
text goes, what is still to be delivered is cancelled, and so goes what endpoints answered. Quarantined records that hold the
address leave their hash, and the dead-letter queue's messages are deleted. The whole table is gone through, about 10 MB a
second. After an interruption the same command goes on. At the end it says what it can't reach, and until when.

The address is compared as events normalise it. With --recipient - it is read from standard input, where neither the shell
nor the list of processes shows it.`,
  examples: [
    { line: 'bridge forget --recipient jo@example.com --dry-run' },
    { line: 'bridge forget --recipient jo@example.com' },
    { line: 'bridge forget --recipient - --yes --json < address.txt' },
  ],
  confirms: true,
  input: z.object({
    recipient: needed(z.string().min(1, { error: 'must be an email address' }), {
      value: 'ADDRESS',
      text: 'whose events are forgotten; - reads it from standard input',
    }),
    'dry-run': toggle('change nothing, and say what is held'),
  }),
  run: async ({ recipient, 'dry-run': dryRun }, session) => {
    const match = await readAddress(recipient, session)
    const isDryRun = dryRun === true
    const bridge = await session.open()
    const deps = { bridge, session }
    if (isDryRun || !session.yes) {
      const found = await runForget({ match, isDryRun: true }, deps)
      if (session.signal.aborted) return interrupted(session)
      if (isDryRun || isNothing(found)) return tell({ ...found, isDryRun }, deps)
      if (!(await isConfirmed(session, questionOf(found)))) return exitNotConfirmed
    }
    const done = await runForget({ match, isDryRun: false }, deps)
    return session.signal.aborted ? interrupted(session, done) : tell({ ...done, isDryRun }, deps)
  },
})

const questionOf = ({ table, deadLetters }: Forgotten): string => {
  const held = [
    counted(table.events, 'event'),
    counted(table.quarantined, 'quarantined record'),
    counted(deadLetters.found, 'dead letter message'),
  ]
  return `Forget this recipient: ${held.join(', ')}? It can not be undone.`
}

const interrupted = ({ io }: Session, done?: Forgotten): ExitCode => {
  const forgotten =
    done === undefined ? 'nothing was done' : `${counted(done.table.events, 'event')} forgotten`
  io.note(`Interrupted: ${forgotten}. The same command goes on with the rest.`)
  return exitInterrupted
}

const tell = (
  of: Forgotten & { isDryRun: boolean },
  { bridge, session }: { bridge: OperatorBridge; session: Session },
): ExitCode => {
  const shown = { ...of, held: stillHeld(bridge.target, session.clock.now()) }
  show(session, { json: () => forgottenJson(shown), text: look => renderForgotten(look, shown) })
  // Somebody counts on it being forgotten: what may be left over is no success.
  const isSure = of.table.unreadable === 0 && of.deadLetters.complete
  return of.isDryRun || isSure ? exitDone : exitFailed
}
