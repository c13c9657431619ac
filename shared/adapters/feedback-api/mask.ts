import { notationsOf } from '../../domain/secret-notations.ts'

/** Takes secrets and addresses out of a text of the service before a person sees it. */
export type Mask = (text: string) => string

/** As much of an error's body is shown (field notes, "error body"). */
export const shownCharsMax = 500
/** Masking looks this much further, so that a secret cut in two by `shownCharsMax` is still seen whole. */
const maskedCharsMax = shownCharsMax + 16_384

// Parts are bounded: an unbounded one takes quadratic time on a long text without an @.
const address = /[^\s@<>"'(),:;=&?]{1,64}(?:@|%40)[^\s@<>"'(),:;&?]{1,255}/gi
const controlOrSpace = /[\s\p{Cc}]+/gu
/** A character as JSON and HTML may write it: an escaped address would not be seen as one. */
const escaped = /\\u([0-9a-f]{4})|&#(?:x0{0,4}([0-9a-f]{2})|0{0,4}(\d{2,3}));/gi
/** The longest of these notations. */
const escapedCharsMax = 10

/**
 * A mask for these secrets, in each notation in which a service may echo them. What is masked keeps at least its
 * length, so that nothing from behind a cut moves into view.
 */
export function createMask(secrets: readonly string[]): Mask {
  const notations = [...new Set(secrets.filter(secret => secret !== '').flatMap(notationsOf))].sort(
    (one, other) => other.length - one.length,
  )
  return text => {
    let masked = text
    for (const notation of notations)
      masked = masked.replaceAll(notation, () => '[token]'.padEnd(notation.length, '*'))
    return masked.replace(address, found => '[address]'.padEnd(found.length, '*'))
  }
}

/** The text with visible ASCII as itself. */
function unescaped(text: string): string {
  return text.replace(escaped, (as: string, json?: string, hex?: string, decimal?: string) => {
    const code = decimal === undefined ? Number.parseInt(json ?? hex ?? '', 16) : Number(decimal)
    return code > 0x20 && code < 0x7f ? String.fromCharCode(code) : as
  })
}

/**
 * The first `shownCharsMax` characters of a text of the service, masked, on one line, without control characters. Cut
 * before space is joined: joining first could move what lies beyond the masked part, and half a token, into view.
 */
export function shown(text: string, mask: Mask): string {
  const plain = unescaped(text.trimStart().slice(0, maskedCharsMax * escapedCharsMax))
  const masked = mask(plain.slice(0, maskedCharsMax)).slice(0, shownCharsMax)
  return masked.replace(controlOrSpace, ' ').trim().toWellFormed()
}
