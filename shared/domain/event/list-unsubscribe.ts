/** A longer header is kept as it is, but not searched for URLs. */
export const listUnsubscribeCharsMax = 16 * 1024
/** RFC 2369 speaks of alternatives in order of preference; a header with more is no such list. */
export const listUnsubscribeUrlsMax = 32

/** The List-Unsubscribe header as it is, and its URLs by scheme, in its order. */
export type ListUnsubscribe = { raw: string | null; https: string[]; mailto: string[] }

/**
 * Reads a List-Unsubscribe header (RFC 2369, section 2): URLs in angle brackets, apart by commas, with comments and
 * folding. A URL is given as it stands, without the white space that folding put in, since its bytes may be signed.
 * Only https and mailto: http and the rest are in `raw`. What is no such list gives no URLs. Nothing is fetched.
 */
export const parseListUnsubscribe = (text: string | null): ListUnsubscribe => {
  const found: ListUnsubscribe = { raw: text, https: [], mailto: [] }
  if (text === null || text.length > listUnsubscribeCharsMax) return found
  for (const url of bracketed(text)) {
    const scheme = schemeOf(url)
    if (scheme !== null) found[scheme].push(url)
  }
  return found
}

const schemeOf = (url: string): 'https' | 'mailto' | null => {
  const parsed = URL.parse(url)
  if (parsed?.protocol === 'https:' && parsed.hostname !== '') return 'https'
  return parsed?.protocol === 'mailto:' && parsed.pathname !== '' ? 'mailto' : null
}

/** What stands between angle brackets, outside of comments, without white space. */
const bracketed = (text: string): string[] => {
  const urls: string[] = []
  let commentDepth = 0
  for (let index = 0; index < text.length && urls.length < listUnsubscribeUrlsMax; index += 1) {
    const char = text[index]
    if (char === '\\' && commentDepth > 0) index += 1
    else if (char === '(') commentDepth += 1
    else if (char === ')') commentDepth = Math.max(0, commentDepth - 1)
    else if (char === '<' && commentDepth === 0) {
      const close = text.indexOf('>', index)
      if (close === -1) break
      urls.push(text.slice(index + 1, close).replace(/\s+/g, ''))
      index = close
    }
  }
  return urls
}
