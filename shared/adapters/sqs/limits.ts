import { queueDelayMsMax } from '../../domain/delivery/delivery-queue.ts'

/**
 * What SQS takes (SQS developer guide, "Amazon SQS message quotas" and "Amazon SQS batch actions"): since 2025 both one
 * message and all messages of a SendMessageBatch together may have 1 MiB, attributes included; a batch has at most ten
 * entries.
 */
export const messageBytesMax = 1_048_576
export const batchBytesMax = 1_048_576
export const batchEntriesMax = 10
/** What waits longer waits in the table. */
const delaySecondsMax = queueDelayMsMax / 1_000

/** The characters that a message may not have: most control characters, surrogates standing alone, U+FFFE, U+FFFF. */
const forbiddenCharacters = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u

export const hasForbiddenCharacters = (text: string): boolean => forbiddenCharacters.test(text)

/** A fair-queue group; what is no valid one is left out, since it is a matter of fairness alone. */
export const groupForm = /^[A-Za-z0-9!"#$%&'()*+,\-./:;<=>?@[\\\]^_`{|}~]{1,128}$/

export type TextAttribute = { dataType: 'String' | 'Number'; stringValue: string }
export type TextAttributes = Readonly<Record<string, TextAttribute>>

/** A message's size as SQS counts it: the body, and each attribute's name, type and value. */
export const messageBytes = (body: string, attributes: TextAttributes): number =>
  Object.entries(attributes)
    .flatMap(([name, { dataType, stringValue }]) => [name, dataType, stringValue])
    .reduce((total, text) => total + Buffer.byteLength(text, 'utf8'), Buffer.byteLength(body, 'utf8'))

/** Why SQS would never take this message, or null. */
export const refusalOf = (body: string, attributes: TextAttributes): string | null => {
  if (body === '') return 'the message is empty'
  const bytes = messageBytes(body, attributes)
  if (bytes > messageBytesMax) return `the message has ${bytes} bytes, more than ${messageBytesMax}`
  if (hasForbiddenCharacters(body)) return 'the message has characters that the queue does not take'
  return null
}

/** A delay in the whole seconds that SQS takes: rounded up, so that an attempt is never early. */
export const delaySecondsOf = (delayMs: number): number =>
  Math.min(Math.max(Math.ceil(delayMs / 1_000), 0), delaySecondsMax)
