import { BridgeError } from '../../../shared/domain/bridge-error.ts'
import { authorizationHeader } from '../../../shared/domain/endpoint/authorization.ts'
import type { Authorization } from '../../../shared/domain/endpoint/endpoint.ts'
import type { OperatorBridge } from '../target/operator-bridge.ts'
import type { Plan } from './plan.ts'

/** What a plan's sources and endpoints need and the file can't hold. */
export type MissingSecrets = {
  /** New sources without their API token. */
  tokens: readonly string[]
  /** New or changed endpoints without what they want to be asked with, or with that of another scheme. */
  authorizations: readonly { id: string; scheme: Authorization['scheme'] }[]
}

export const missingSecrets = async (
  plan: Plan,
  { secrets }: Pick<OperatorBridge, 'secrets'>,
): Promise<MissingSecrets> => {
  const read = async (name: string): Promise<string | null> => {
    try {
      return await secrets.read(name)
    } catch (error) {
      if (error instanceof BridgeError && error.code === 'secret_missing') return null
      throw error
    }
  }
  const tokens: string[] = []
  for (const step of plan.sources) {
    if (step.kind === 'create' && (await read(step.to.tokenSecret)) === null) tokens.push(step.id)
  }
  const authorizations: { id: string; scheme: Authorization['scheme'] }[] = []
  for (const step of plan.endpoints) {
    if (step.kind !== 'create' && step.kind !== 'change') continue
    const { authorization } = step.to
    if (authorization === null) continue
    const { scheme, secret } = authorization
    const text = await read(secret)
    const isThere = text !== null && authorizationHeader(scheme, text).kind === 'header'
    if (!isThere) authorizations.push({ id: step.id, scheme })
  }
  return { tokens, authorizations }
}
