import { createFeedbackClient } from '../../../shared/adapters/feedback-api/client.ts'
import { BridgeError } from '../../../shared/domain/bridge-error.ts'
import { FeedbackApiError } from '../../../shared/domain/polling/feedback-api.ts'
import type { Source } from '../../../shared/domain/source.ts'
import type { OperatorBridge } from '../target/operator-bridge.ts'

/** The lists of a source, asked from this machine. To be closed. */
export const openSource = ({ secrets }: OperatorBridge, source: Source, now: () => number) =>
  createFeedbackClient({ ...source, token: () => tokenOf(secrets, source), now })

/** A token that can't be had leaves this source unread, as one that is refused does; the others are audited. */
const tokenOf = async (secrets: OperatorBridge['secrets'], { id, tokenSecret }: Source): Promise<string> => {
  try {
    return await secrets.read(tokenSecret)
  } catch (error) {
    if (!(error instanceof BridgeError)) throw error
    const isMissing = error.code === 'secret_missing'
    throw new FeedbackApiError({
      code: error.code,
      message: error.message,
      hint: isMissing
        ? `Audit asks with the token that is kept here; keep it: bridge source token ${id}.`
        : error.hint,
      failure: 'refused',
      status: null,
      cause: error,
    })
  }
}
