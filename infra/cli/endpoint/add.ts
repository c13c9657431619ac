import { randomBytes } from 'node:crypto'
import * as z from 'zod'
import { signingSecretName } from '../../../shared/domain/secret-store.ts'
import { defineCommand } from '../command.ts'
import { endpointOf } from '../declared/settings.ts'
import { exitDone } from '../exit-codes.ts'
import { RefusedError } from '../failures.ts'
import { argument, optional, toggle } from '../input.ts'
import { type Session, show } from '../session.ts'
import type { OperatorBridge } from '../target/operator-bridge.ts'
import { idValue } from '../values.ts'
import { checkAddresses, checkAllowPrivate, checkUrl, urlValue } from './check-url.ts'
import { endpointJson } from './endpoint-view.ts'
import { allowPrivateFlag, settingFlags } from './inputs.ts'
import { renderSecret } from './render.ts'
import { derivedSecret, readOwnSecret } from './signing-secret.ts'

const firstKeyVersion = 1
const idBytes = 5

const newId = (): string => `ep_${randomBytes(idBytes).toString('hex')}`

const refuseKnown = async (
  { endpoints }: OperatorBridge,
  asked: { id: string; url: string; isSameUrlWanted: boolean },
): Promise<void> => {
  const sameId = await endpoints.read(asked.id)
  if (sameId !== null) {
    throw new RefusedError({
      code: 'endpoint_exists',
      message: `there ${sameId.state === 'removed' ? 'was' : 'is'} an endpoint "${asked.id}" already`,
      // Its keys would be those that a former customer knows.
      hint:
        sameId.state === 'removed'
          ? 'Ids of removed endpoints are not used again: choose another one.'
          : 'Change it by bridge endpoint update, or choose another id.',
    })
  }
  const all = await endpoints.list()
  const sameUrl = all.find(({ url, state }) => url === asked.url && state !== 'removed')
  if (sameUrl === undefined || asked.isSameUrlWanted) return
  throw new RefusedError({
    code: 'url_in_use',
    message: `the endpoint "${sameUrl.id}" has this URL already: the customer would get what both match twice`,
    hint: 'Change that one by bridge endpoint update; or add --same-url, if two are meant.',
  })
}

export const addEndpoint = defineCommand({
  name: 'add',
  summary: "Add a customer's webhook URL, and show the secret that its receiver verifies signatures with",
  details:
    'The URL, the addresses of its host and the types are checked first. It gets what is read from now on, within a\n' +
    'minute; what was read before, bridge recover delivers. Its secret is derived from the master secret, and shown this\n' +
    'once; with --own-secret it is one that the receiver has already, read from standard input or a prompt.',
  examples: [
    {
      line: 'bridge endpoint add https://example.com/webhooks --id crm --types email.bounce.hard,email.complaint',
    },
    {
      line: 'bridge endpoint add https://example.com/webhooks --own-secret --stack feedback-bridge < secret.txt',
    },
    { line: 'bridge endpoint add http://127.0.0.1:3000/ --allow-private-endpoints' },
  ],
  input: z.object({
    url: argument(urlValue, {
      value: 'URL',
      text: 'where events are sent, as https://example.com/webhooks',
    }),
    id: optional(idValue, { value: 'ID', text: 'a short name for it, as crm (default: a random one)' }),
    ...settingFlags,
    'own-secret': toggle('sign with a secret that the receiver has, from standard input or a prompt'),
    disabled: toggle('hold what is for it until bridge endpoint enable'),
    'allow-private-endpoints': allowPrivateFlag,
    'skip-dns': toggle('add it though its host has no address yet'),
    'same-url': toggle('add it though another endpoint has this URL'),
  }),
  run: async (input, session) => {
    const allowPrivate = input['allow-private-endpoints'] === true
    const url = checkUrl(input.url, { allowPrivate })
    if (input['skip-dns'] !== true) await checkAddresses(url, { allowPrivate })
    const bridge = await session.open({ make: true })
    checkAllowPrivate(bridge.target, allowPrivate)
    const id = input.id ?? newId()
    await refuseKnown(bridge, { id, url: url.href, isSameUrlWanted: input['same-url'] === true })
    const signing = await firstSecret(bridge, session, { id, isOwn: input['own-secret'] === true })
    const endpoint = {
      ...endpointOf(id, { ...input, headers: input.header, url: url.href }, null),
      keys: [{ version: firstKeyVersion, secret: signing.name, signsUntilMs: null }],
    }
    await bridge.endpoints.put(endpoint)
    show(session, {
      json: () => ({ ...endpointJson(endpoint), signingSecret: signing.shown }),
      text: look => {
        const added = `${look.colors.green('Added')} the endpoint ${id}${input.disabled ? ', disabled' : ''}.`
        return signing.shown === null ? added : `${added}\n${renderSecret(look, signing.shown)}`
      },
    })
    return exitDone
  },
})

/** `shown` is null for one that the receiver has already. */
const firstSecret = async (
  bridge: OperatorBridge,
  session: Session,
  { id, isOwn }: { id: string; isOwn: boolean },
): Promise<{ name: string | null; shown: string | null }> => {
  if (!isOwn) {
    return { name: null, shown: await derivedSecret(bridge, { endpointId: id, keyVersion: firstKeyVersion }) }
  }
  const name = signingSecretName(id, firstKeyVersion)
  const text = await readOwnSecret(session)
  await bridge.secretWriter.put({ name, text, about: `Signing secret of the endpoint ${id}` })
  return { name, shown: null }
}
