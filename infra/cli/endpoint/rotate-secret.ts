import * as z from 'zod'
import { endpointsCachedMsDefault } from '../../../shared/domain/delivery/endpoint-directory.ts'
import { rotateKeys } from '../../../shared/domain/endpoint/rotate-keys.ts'
import { signingSecretName } from '../../../shared/domain/secret-store.ts'
import { hourMs } from '../../../shared/domain/time-units.ts'
import { exitNotConfirmed, isConfirmed } from '../asking.ts'
import { defineCommand } from '../command.ts'
import { exitDone } from '../exit-codes.ts'
import { RefusedError } from '../failures.ts'
import { optional, toggle } from '../input.ts'
import { isoOf, showMoment } from '../output/moments.ts'
import { type Session, show } from '../session.ts'
import { durationValue } from '../values.ts'
import { endpointJson } from './endpoint-view.ts'
import { findPresentEndpoint } from './find-endpoint.ts'
import { endpointIdArgument } from './inputs.ts'
import { renderSecret } from './render.ts'
import { derivedSecret, readOwnSecret } from './signing-secret.ts'

const overlapMsDefault = 24 * hourMs
const overlapMsMax = 30 * 24 * hourMs
/** Until every dispatcher has read the endpoint again and signs with the new secret: reading it takes a moment. */
const takenUpMs = endpointsCachedMsDefault + 2_000

export const rotateEndpointSecret = defineCommand({
  name: 'rotate-secret',
  summary: 'Sign with a new secret, and with the old one until the overlap ends',
  details:
    'During the overlap every request carries a signature of each, so that the receiver can change at any moment of it.\n' +
    'The new secret is shown this once, and only when every request carries its signature: after some seconds. With --overlap 0s the old one ends at once: for one that has leaked.',
  examples: [
    { line: 'bridge endpoint rotate-secret crm', text: 'The old one signs for 24 hours more.' },
    { line: 'bridge endpoint rotate-secret crm --overlap 7d --own-secret < secret.txt' },
    { line: 'bridge endpoint rotate-secret crm --overlap 0s --yes' },
  ],
  confirms: true,
  input: z.object({
    id: endpointIdArgument,
    overlap: optional(durationValue({ minMs: 0, maxMs: overlapMsMax, right: 'of at most 30d' }), {
      value: 'TIME',
      text: 'how long the old secret signs too, as 24h (default) or 7d',
    }),
    'own-secret': toggle('a secret that the receiver made, from standard input or a prompt'),
  }),
  run: async (input, session) => {
    const bridge = await session.open()
    const { id } = input
    const endpoint = await findPresentEndpoint(bridge, id)
    const overlapMs = input.overlap ?? overlapMsDefault
    const nowMs = session.clock.now()
    const isOwn = input['own-secret'] === true
    const secretOf = (version: number) => (isOwn ? signingSecretName(id, version) : null)
    const rotation = rotateKeys(endpoint.keys, { secretOf, overlapMs, nowMs })
    if (rotation.kind === 'too_many') {
      throw new RefusedError({
        code: 'too_many_keys',
        message: `${rotation.active} secrets of the endpoint "${id}" sign already`,
        hint: 'Wait until one of them ends (bridge endpoint show), or give a shorter --overlap.',
      })
    }
    const question = `End the old secret of ${id} at once? Its receiver refuses what is sent until it has the new one.`
    if (overlapMs === 0 && !(await isConfirmed(session, question))) return exitNotConfirmed
    const { version, secret: name } = rotation.newest
    let shown: string | null = null
    if (name === null) {
      shown = await derivedSecret(bridge, { endpointId: id, keyVersion: version })
    } else {
      const text = await readOwnSecret(session)
      await bridge.secretWriter.put({ name, text, about: `Signing secret of the endpoint ${id}` })
    }
    // What was changed meanwhile stays: only the keys are of an earlier look.
    const rotated = { ...(await findPresentEndpoint(bridge, id)), keys: rotation.keys }
    await bridge.endpoints.put(rotated)
    for (const unneeded of rotation.unneeded) await bridge.secretWriter.remove(unneeded)
    // Shown any sooner, it would be taken by a receiver that is still sent requests which the old one alone has signed.
    if (overlapMs > 0) await waitUntilTakenUp(session)
    const endMs = nowMs + overlapMs
    show(session, {
      json: () => ({ ...endpointJson(rotated), oldSignsUntil: isoOf(endMs), signingSecret: shown }),
      text: look => {
        const until = overlapMs === 0 ? 'ended now' : `signs too until ${showMoment(endMs)}`
        const done = `${look.colors.green('Rotated')}: key ${version} of ${id} signs from now on; the old one ${until}.`
        return shown === null ? done : `${done}\n${renderSecret(look, shown)}`
      },
    })
    return exitDone
  },
})

/** Whoever interrupts it gets the secret none the less: it is shown this once. */
const waitUntilTakenUp = async ({ io, clock, signal }: Session): Promise<void> => {
  io.progress('Waiting until every request carries the new signature …')
  await clock.sleep(takenUpMs, signal)
  io.progress('')
}
