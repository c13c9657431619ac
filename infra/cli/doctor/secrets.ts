import { mapBounded } from '../../../shared/adapters/bounded.ts'
import { BridgeError } from '../../../shared/domain/bridge-error.ts'
import { createEndpointCredentials } from '../../../shared/domain/delivery/endpoint-credentials.ts'
import { deliveryReasons, type HoldReason } from '../../../shared/domain/delivery/reasons.ts'
import type { Endpoint } from '../../../shared/domain/endpoint/endpoint.ts'
import { masterSecretName } from '../../../shared/domain/secret-store.ts'
import { parseMasterSecret } from '../../../shared/domain/signing/signing-keys.ts'
import type { Source } from '../../../shared/domain/source.ts'
import { counted } from '../output/texts.ts'
import type { OperatorBridge } from '../target/operator-bridge.ts'
import { type Check, type CheckContext, type Found, failed, ok, skipped } from './check.ts'

const endpointsAtOnce = 4

/** Tokens, the master secret, and the keys and authorizations of endpoints can be read, and are what they should be. */
export const secretsCheck: Check = {
  name: 'secrets',
  run: async context => [
    await checkMaster(context),
    ...(await Promise.all(context.sources.map(source => checkToken(source, context)))),
    ...(await checkEndpoints(context)),
  ],
}

const checkMaster = ({ bridge }: CheckContext): Promise<Found> =>
  readable(masterSecretName, async () => {
    const master = parseMasterSecret(await bridge.secrets.read(masterSecretName))
    if (master.kind === 'key') return ok(masterSecretName, 'every derived signing secret follows from it')
    const mend = 'Put back its former value: every derived signing secret follows from it.'
    return failed(masterSecretName, 'is no master secret', mend)
  })

const checkToken = async (source: Source, { bridge }: CheckContext): Promise<Found> => {
  const { id, tokenSecret: name } = source
  const mend = `Give the token: bridge source token ${id}.`
  const found = await readable(name, async () => {
    const isThere = (await bridge.secrets.read(name)).trim() !== ''
    return isThere ? ok(name, 'can be read') : failed(name, 'is empty', mend)
  })
  if (found.outcome === 'ok' || !isOfFlags(source, bridge)) return found
  const text = 'the token was given to npm start, which alone has it'
  return {
    ...skipped(name, text),
    mend: `To check it and to audit, keep it here too: bridge source token ${id}.`,
  }
}

/** npm start keeps no token, and names the source of its flags after the service. */
const isOfFlags = ({ id }: Source, { target }: OperatorBridge): boolean =>
  target.kind === 'local' && id.startsWith('src_')

const readable = async (name: string, look: () => Promise<Found>): Promise<Found> => {
  try {
    return await look()
  } catch (error) {
    if (error instanceof BridgeError) return failed(name, error.message, error.hint)
    throw error
  }
}

/** Those that are well have one line together. */
const checkEndpoints = async (context: CheckContext): Promise<Found[]> => {
  const { bridge, clock, endpoints } = context
  const credentials = createEndpointCredentials({ secrets: bridge.secrets, clock })
  const found = await mapBounded(endpoints, endpointsAtOnce, endpoint =>
    readable(endpoint.id, async () => {
      const found = await credentials.credentialsOf(endpoint, clock.now())
      return found.kind === 'credentials' ? ok(endpoint.id, '') : lacking(endpoint, found.reason)
    }),
  )
  const well = found.filter(({ outcome }) => outcome === 'ok').length
  const others = found.filter(({ outcome }) => outcome !== 'ok')
  return well === 0 ? others : [ok('', `${counted(well, 'endpoint')} can be signed for`), ...others]
}

const lacking = (endpoint: Endpoint, reason: HoldReason): Found => {
  const { id } = endpoint
  if (reason === 'authorization_missing' || reason === 'authorization_invalid') {
    const mend = `Give it: bridge endpoint authorization ${id}.`
    return failed(id, `can't be asked: ${deliveryReasons[reason]}`, mend)
  }
  if (isGiven(endpoint)) return skipped(id, 'its secret was given to npm start, which alone has it')
  const mend = `Put it back, or make a new one: bridge endpoint rotate-secret ${id}.`
  return failed(id, `nothing can be signed: ${deliveryReasons[reason]}`, mend)
}

/** npm start keeps no secret that its command line gives. */
const isGiven = ({ keys }: Endpoint): boolean => keys.some(({ secret }) => secret?.startsWith('given-'))
