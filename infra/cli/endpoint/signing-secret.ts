import { masterSecretName } from '../../../shared/domain/secret-store.ts'
import {
  deriveKey,
  formatSecret,
  parseMasterSecret,
  parseSecret,
} from '../../../shared/domain/signing/signing-keys.ts'
import { readSecret } from '../asking.ts'
import { CommandError, UsageError } from '../failures.ts'
import type { Session } from '../session.ts'
import type { OperatorBridge } from '../target/operator-bridge.ts'

/** The secret of a key version that follows from the master secret, as receivers want it. */
export const derivedSecret = async (
  { secrets }: OperatorBridge,
  of: { endpointId: string; keyVersion: number },
): Promise<string> => {
  const master = parseMasterSecret(await secrets.read(masterSecretName))
  if (master.kind === 'key') return formatSecret(deriveKey({ masterSecret: master.key, ...of }))
  throw new CommandError({
    code: 'master_secret_invalid',
    message: `the secret "${masterSecretName}" is no master secret`,
    hint: 'Put back its former value: every derived signing secret follows from it.',
  })
}

/** A secret that the receiver has already, from standard input or a hidden prompt. Throws a `UsageError`. */
export const readOwnSecret = async (session: Session): Promise<string> => {
  const text = await readSecret(session, 'Signing secret (whsec_…)')
  const parsed = parseSecret(text)
  if (parsed.kind === 'key') return text
  throw new UsageError([parsed.problem])
}
