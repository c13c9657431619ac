import { decodeMessage } from '../delivery/delivery-message.ts'
import type { DeadLetterMessage } from '../replay/dead-letter-messages.ts'
import type { AddressMatch } from './address-match.ts'

/**
 * Those of the dead-letter queue's messages that are about a recipient, by their bodies, whatever the table says; of what
 * this code can't read, whatever holds the address. Pure.
 */
export const copiesOf = (messages: readonly DeadLetterMessage[], match: AddressMatch): DeadLetterMessage[] =>
  messages.filter(({ body }) => {
    const decoded = decodeMessage(body)
    return decoded.kind === 'message' ? match.ofBody(decoded.message.body) === 'recipient' : match.isIn(body)
  })
