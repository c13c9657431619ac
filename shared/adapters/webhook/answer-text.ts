import { answerKeptBytesMax } from '../../domain/delivery/webhook-sender.ts'

/** Characters that a terminal, a log or a page may act on: controls, direction marks, line and paragraph ends. */
const harmful = /[\p{Cc}\p{Cf}\u2028\u2029]/gu

const decode = (bytes: Uint8Array): string =>
  // As of a stream, so that a character that the bound has cut through is left out.
  new TextDecoder('utf-8').decode(bytes, { stream: true })

/** The first bytes of an answer as text that is safe to show: at most `answerKeptBytesMax` in UTF-8. */
export const answerText = (bytes: Uint8Array): string => {
  const text = decode(bytes.subarray(0, answerKeptBytesMax))
    .replace(/[\t\r\n]/g, ' ')
    .replace(harmful, '?')
  // What is no UTF-8 was replaced, which takes more bytes than it had.
  return Buffer.byteLength(text) <= answerKeptBytesMax
    ? text
    : decode(Buffer.from(text).subarray(0, answerKeptBytesMax))
}
