import * as z from 'zod'
import { readSecret } from './asking.ts'
import { defineCommand } from './command.ts'
import { requestsPerSource } from './doctor/probe-source.ts'
import { isHealthy, renderFindings } from './doctor/render.ts'
import { runChecks } from './doctor/run-checks.ts'
import { allowPrivateFlag } from './endpoint/inputs.ts'
import { exitDone, exitFailed, exitInterrupted } from './exit-codes.ts'
import { optional, toggle } from './input.ts'
import { show } from './session.ts'
import { sharedValues } from './values.ts'

/** Before this nobody wonders. */
const quietMs = 2_000

/** Every part looked at, each finding with what to do. */
export const doctorCommand = defineCommand({
  name: 'doctor',
  summary: 'Check every part, one line each, with what to do about it',
  details:
    `Of each source that is polled it asks the service ${requestsPerSource} times for a page and once for the contact lists: they count towards the\n` +
    'limit. It changes nothing; only --send-tests sends something. The exit code is 1 where a check failed.',
  examples: [
    { line: 'bridge doctor' },
    { line: 'bridge doctor --send-tests --stack feedback-bridge' },
    {
      line: 'bridge doctor --contacts-url https://contacts.example.com < key.txt',
      text: 'Where the contacts API is elsewhere, with a key of its own.',
    },
  ],
  input: z.object({
    'send-tests': toggle('send a signed webhook.test to every endpoint'),
    'allow-private-endpoints': allowPrivateFlag,
    'contacts-url': optional(sharedValues['source-url'], {
      value: 'URL',
      text: 'where the contacts API is, if not with the lists; its key comes from standard input or a prompt',
    }),
  }),
  run: async (input, session) => {
    const { clock, signal, io } = session
    const url = input['contacts-url']
    const contacts = url === undefined ? null : { url, key: await readSecret(session, 'Contacts API key') }
    const settings = {
      contacts,
      sendsTests: input['send-tests'] === true,
      allowPrivate: input['allow-private-endpoints'] === true,
    }
    const startedMs = clock.now()
    const onCheck = (name: string): void => {
      if (clock.now() - startedMs >= quietMs) io.progress(`Checking ${name} …`)
    }
    const findings = await runChecks(() => session.open(), settings, { clock, signal, onCheck })
    io.progress('')
    if (signal.aborted) return exitInterrupted
    show(session, {
      json: () => ({ healthy: isHealthy(findings), checks: findings }),
      text: look => renderFindings(look, findings),
    })
    return isHealthy(findings) ? exitDone : exitFailed
  },
})
