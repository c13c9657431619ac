import { Address, parseEnvelope, parseHeader } from '@haraka/email-address'

/** A longer text is no address: the library reads up to the text line of SMTP (RFC 5321, section 4.5.3.1.6). */
export const addressCharsMax = 998
/** A longer header is kept as it is, but not searched for an address. */
export const headerCharsMax = 8 * 1024

/** An address: as given, for comparing (lower case, domain in its ASCII form), and its domain for comparing. */
export type ParsedAddress = { address: string; normalized: string; domain: string }
export type Recipient = { address: string | null; normalized: string | null; domain: string | null }
export type HeaderSender = { header_from: string | null; address: string | null; domain: string | null }

/**
 * The recipient of a record. All null where it holds no address, or several: `<>`, a redaction, "Undisclosed
 * Recipients", a bare postmaster (its domain is unknown), an empty group. Never throws.
 */
export const parseRecipient = (text: string | null): Recipient =>
  parseAddress(text) ?? { address: null, normalized: null, domain: null }

/**
 * The From header as it is, and its author: of several the first, of a group its first member (RFC 6854). Display
 * names that break the grammar (an unquoted comma, a colon, brackets) do not hide the address. Never throws.
 */
export const parseHeaderFrom = (text: string | null): HeaderSender => {
  const found = text === null || text.length > headerCharsMax ? null : firstAuthor(text.trim())
  return { header_from: text, address: found?.address ?? null, domain: found?.domain ?? null }
}

/** The one address in a text, bare, in angle brackets, or with a name; null where there is none, or several. */
export const parseAddress = (text: string | null): ParsedAddress | null => {
  const trimmed = text?.trim() ?? ''
  if (trimmed === '' || trimmed.length > addressCharsMax) return null
  const bare = attempt(() => parseEnvelope(trimmed, { postel: true }))
  if (bare !== null) return partsOf(bare)
  const list = attempt(() => parseHeader(trimmed, { postel: true }))
  const [only, ...others] = list ?? []
  return only instanceof Address && others.length === 0 ? partsOf(only) : null
}

/** A domain for comparing: lower case, ASCII form, without the root's dot. */
export const normalizeDomain = (domain: string): string => {
  // The library converts as it parses, so that a filter and an address can't differ in how.
  const parsed = isAscii(domain) ? null : attempt(() => new Address('x', domain.trim()))
  return (parsed?.host ?? domain.trim()).toLowerCase().replace(/\.$/, '')
}

const firstAuthor = (text: string): ParsedAddress | null => {
  if (text === '') return null
  const list =
    attempt(() => parseHeader(text, { postel: true })) ??
    attempt(() => parseHeader(text, { postel: true, allowCommaInDisplayName: true }))
  if (list === null) return inOnlyBrackets(text)
  for (const entry of list) {
    const author = entry instanceof Address ? entry : entry.addresses[0]
    if (author !== undefined) return partsOf(author)
  }
  return null
}

// The grammar failed, yet one pair of brackets at the end leaves no doubt which part is the address.
const inOnlyBrackets = (text: string): ParsedAddress | null => {
  const open = text.indexOf('<')
  if (open === -1 || open !== text.lastIndexOf('<') || text.indexOf('>') !== text.length - 1) return null
  return parseAddress(text.slice(open))
}

const partsOf = (found: Address): ParsedAddress | null => {
  const domain = normalizeDomain(found.host)
  if (found.user === '' || domain === '') return null
  return {
    address: found.address,
    normalized: `${found.user.toLowerCase().normalize('NFC')}@${domain}`,
    domain,
  }
}

// The library says by throwing that a text is no address, which is no fault of ours.
const attempt = <T>(parse: () => T): T | null => {
  try {
    return parse()
  } catch {
    return null
  }
}

const isAscii = (text: string): boolean => !/[^ -~]/.test(text)
