import { readSecret } from '../asking.ts'
import { UsageError } from '../failures.ts'
import type { Session } from '../session.ts'
import type { OperatorBridge } from '../target/operator-bridge.ts'
import { sharedValues } from '../values.ts'

/** The API token, from standard input or a hidden prompt. Throws a `UsageError` for what can be none. */
export const readToken = async (session: Session): Promise<string> => {
  const text = await readSecret(session, 'API token')
  const read = sharedValues.token.safeParse(text)
  if (read.success) return read.data
  throw new UsageError(read.error.issues.map(({ message }) => `API token: ${message}`))
}

export const keepToken = (
  { secretWriter }: OperatorBridge,
  source: { id: string; tokenSecret: string },
  text: string,
): Promise<void> =>
  secretWriter.put({ name: source.tokenSecret, text, about: `API token of the source ${source.id}` })
