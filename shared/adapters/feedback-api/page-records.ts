const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const openBrace = 0x7b
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d

/**
 * The verbatim texts of the elements of the top-level `results` array, in order, of a text that JSON.parse accepts as
 * an object. A parsed value would do where nothing is lost in parsing, but numbers beyond 2^53, repeated keys and
 * escapes are, and `raw` promises the record as it came (DESIGN.md, section 5). Of several `results` the last counts,
 * as it does for JSON.parse. One pass, no recursion: depth costs no stack.
 */
export function recordTexts(page: string): string[] {
  let texts: string[] = []
  let at = page.indexOf('{') + 1
  for (;;) {
    at = nextKey(page, at)
    if (at < 0) return texts
    const keyEnd = stringEnd(page, at)
    const isResults = names(page.slice(at, keyEnd), 'results')
    const valueAt = skipSpace(page, page.indexOf(':', keyEnd) + 1)
    const end = valueEnd(page, valueAt)
    if (isResults) texts = elementTexts(page, valueAt)
    at = end
  }
}

/** A key may be written with escapes, as `"resul\u0074s"`. */
function names(keyText: string, key: string): boolean {
  if (!keyText.includes('\\')) return keyText === `"${key}"`
  return JSON.parse(keyText) === key
}

function elementTexts(page: string, arrayAt: number): string[] {
  if (page.charCodeAt(arrayAt) !== openBracket) return []
  const texts: string[] = []
  let at = skipSpace(page, arrayAt + 1)
  while (at < page.length && page.charCodeAt(at) !== closeBracket) {
    const end = valueEnd(page, at)
    texts.push(page.slice(at, end))
    at = skipSpace(page, end)
    if (page.charCodeAt(at) === comma) at = skipSpace(page, at + 1)
  }
  return texts
}

/** The next key's quote within the top-level object, or -1 at its end. */
function nextKey(page: string, from: number): number {
  for (let at = from; at < page.length; at++) {
    const char = page.charCodeAt(at)
    if (char === quote) return at
    if (char === closeBrace) return -1
  }
  return -1
}

function skipSpace(page: string, from: number): number {
  let at = from
  while (isSpace(page.charCodeAt(at))) at++
  return at
}

function isSpace(char: number): boolean {
  return char === 0x20 || char === 0x0a || char === 0x0d || char === 0x09
}

/** Just behind the value that starts at `from`. */
function valueEnd(page: string, from: number): number {
  const first = page.charCodeAt(from)
  if (first === quote) return stringEnd(page, from)
  if (first === openBrace || first === openBracket) return nestedEnd(page, from)
  let at = from
  while (at < page.length && !endsScalar(page.charCodeAt(at))) at++
  return at
}

function endsScalar(char: number): boolean {
  return char === comma || char === closeBrace || char === closeBracket || isSpace(char)
}

function nestedEnd(page: string, from: number): number {
  let depth = 0
  let at = from
  while (at < page.length) {
    const char = page.charCodeAt(at)
    if (char === quote) {
      at = stringEnd(page, at)
      continue
    }
    at++
    if (char === openBrace || char === openBracket) depth++
    else if ((char === closeBrace || char === closeBracket) && --depth === 0) return at
  }
  return at
}

/** Just behind the closing quote of the string that starts at `from`. */
function stringEnd(page: string, from: number): number {
  let at = from + 1
  while (at < page.length) {
    const char = page.charCodeAt(at)
    if (char === quote) return at + 1
    at += char === backslash ? 2 : 1
  }
  return at
}
