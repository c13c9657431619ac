import * as z from 'zod'
import { authorizationHeader } from '../../../shared/domain/endpoint/authorization.ts'
import type { Authorization } from '../../../shared/domain/endpoint/endpoint.ts'
import { authorizationSecretName } from '../../../shared/domain/secret-store.ts'
import { readSecret } from '../asking.ts'
import { defineCommand } from '../command.ts'
import { exitDone } from '../exit-codes.ts'
import { UsageError } from '../failures.ts'
import { toggle } from '../input.ts'
import { type Session, show } from '../session.ts'
import type { OperatorBridge } from '../target/operator-bridge.ts'
import { endpointJson } from './endpoint-view.ts'
import { findPresentEndpoint } from './find-endpoint.ts'
import { endpointIdArgument } from './inputs.ts'

const asked = { basic: 'User and password (user:password)', bearer: 'Bearer token' } as const

const input = z
  .object({
    id: endpointIdArgument,
    basic: toggle('user and password, written user:password'),
    bearer: toggle('a token'),
    none: toggle('none any more: what was kept is removed'),
  })
  .refine(({ basic, bearer, none }) => [basic, bearer, none].filter(given => given === true).length === 1, {
    error: '--basic, --bearer and --none: give one of them',
  })

export const setEndpointAuthorization = defineCommand({
  name: 'authorization',
  summary: 'Give an endpoint what it wants to be asked with: user and password, or a token',
  details:
    'Read from standard input or a prompt, never from the command line, and kept as a secret; nothing shows it again. It\n' +
    'goes with every request as the header Authorization. A new one is taken up within minutes, or seconds after the\n' +
    'endpoint answered 401. What was held because it was missing goes out within minutes.',
  examples: [
    { line: 'bridge endpoint authorization crm --bearer', text: 'Asks for it.' },
    { line: 'bridge endpoint authorization crm --basic --stack feedback-bridge < user-and-password.txt' },
    { line: 'bridge endpoint authorization crm --none' },
  ],
  input,
  run: async ({ id, basic, none }, session) => {
    const bridge = await session.open()
    const endpoint = await findPresentEndpoint(bridge, id)
    const scheme = basic === true ? 'basic' : 'bearer'
    const authorization = none === true ? null : await keep(bridge, session, { id, scheme })
    // What was changed meanwhile stays.
    const changed = { ...(await findPresentEndpoint(bridge, id)), authorization }
    await bridge.endpoints.put(changed)
    // Last: an endpoint that names a secret that is gone has its deliveries held.
    const unneeded = endpoint.authorization?.secret ?? null
    if (unneeded !== null && unneeded !== authorization?.secret) await bridge.secretWriter.remove(unneeded)
    show(session, {
      json: () => endpointJson(changed),
      text: ({ colors }) =>
        authorization === null
          ? `${id} is asked without authorization from now on.`
          : `${colors.green('Kept')}: ${id} is asked with ${scheme} authorization from now on.`,
    })
    return exitDone
  },
})

const keep = async (
  { secretWriter }: OperatorBridge,
  session: Session,
  { id, scheme }: { id: string; scheme: Authorization['scheme'] },
): Promise<Authorization> => {
  const text = await readSecret(session, asked[scheme])
  const header = authorizationHeader(scheme, text)
  if (header.kind === 'invalid') throw new UsageError([`${asked[scheme]}: ${header.problem}`])
  const secret = authorizationSecretName(id)
  await secretWriter.put({ name: secret, text, about: `Authorization (${scheme}) of the endpoint ${id}` })
  return { scheme, secret }
}
