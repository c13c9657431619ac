import { notationsOf } from '../secret-notations.ts'
import { answerKeptBytesMax } from './webhook-sender.ts'

/** Shorter texts stand in answers by chance, and no secret of use is as short. */
const secretCharsMin = 4
/** In UTF-8: as much less than its bound an answer may have that was cut off there. */
const characterBytesMax = 4

// Parts are bounded: an unbounded one takes quadratic time on a long text without an @.
const address = /[^\s@<>"'(),:;=&?\\]{1,64}(?:@|%40|\\u0040|&#64;|&#x40;)[^\s@<>"'(),:;&?\\]{1,255}/gi
/** What follows the name of a scheme and is no common word, a JSON Web Token (RFC 7519), and a signing secret of ours. */
const schemes =
  /\b(bearer|basic)(\s{1,8}|%20|[:=])(?:(?=\S{0,64}\d)[\w\-.~+/]{8,4096}|[\w\-.~+/]{20,4096})=*/gi
const webToken = /\beyJ[A-Za-z0-9_-]{4,4096}(?:\.[A-Za-z0-9_-]{0,4096}){0,2}/g
const signingSecret = /\bwhsec_[A-Za-z0-9+/=]{1,128}/g
/** A value under a name that says what it is, in JSON, in a form or in a line. */
const named =
  /\b((?:api[-_]?key|access[-_]?key|secret|password|passwd|(?:access|refresh|auth|id|session)[-_]?token)["']?\s{0,8}[:=]\s{0,8}["']?)[^\s"'&,;<>]{1,4096}/gi

/**
 * An answer's first bytes without what they should not keep: mail addresses, these secrets in whatever notation an
 * answer may echo them, and whatever looks like a token. At most `answerKeptBytesMax` in UTF-8. Pure.
 */
export const scrubAnswer = (answer: string, secrets: readonly string[]): string => {
  const isCut = Buffer.byteLength(answer) > answerKeptBytesMax - characterBytesMax
  let text = answer
  for (const secret of secrets.filter(({ length }) => length >= secretCharsMin)) {
    for (const notation of notationsOf(secret)) text = withoutSecret(text, notation, isCut)
  }
  const scrubbed = text
    .replace(schemes, (_, scheme: string, between: string) => `${scheme}${between}[secret]`)
    .replace(webToken, '[secret]')
    .replace(signingSecret, '[secret]')
    .replace(named, (_, name: string) => `${name}[secret]`)
    .replace(address, '[address]')
  return cut(scrubbed)
}

/** Also where the answer was cut off within the secret. */
const withoutSecret = (text: string, secret: string, isCut: boolean): string => {
  const whole = text.replaceAll(secret, '[secret]')
  if (!isCut) return whole
  for (let length = Math.min(secret.length - 1, whole.length); length >= secretCharsMin; length -= 1) {
    if (whole.endsWith(secret.slice(0, length))) return `${whole.slice(0, -length)}[secret]`
  }
  return whole
}

/** A mark may be longer than what it stands for. As of a stream, so that a character cut in two is left out. */
const cut = (text: string): string => {
  const bytes = Buffer.from(text)
  if (bytes.length <= answerKeptBytesMax) return text
  return new TextDecoder().decode(bytes.subarray(0, answerKeptBytesMax), { stream: true })
}
