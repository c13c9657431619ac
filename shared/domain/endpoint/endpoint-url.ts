import ipaddr from 'ipaddr.js'
import { addressVerdict } from './address-guard.ts'

/** Longer URLs are refused, in characters: servers and proxies cut off at about this. */
export const endpointUrlLengthMax = 2_048

/** Bounds of DNS (RFC 1035, section 2.3.4). */
const hostLengthMax = 253
const labelLengthMax = 63

/** Below it ports belong to other protocols, which must not be sent our bytes; 443 apart. */
const ownPortMin = 1_024

/**
 * `url_refused` says that the URL is not one we send to, `address_refused` that its literal address is not. The
 * problem is a sentence for a person: what is wrong, what is right. It never holds the path, query or user, which
 * may be secrets.
 */
export type EndpointUrl =
  | { ok: true; url: URL }
  | { ok: false; reason: 'url_refused' | 'address_refused'; problem: string }

/** Names of networks' insides: they resolve, if at all, to what only we can reach. */
const insideNames = [
  'localhost',
  'local',
  'localdomain',
  'internal',
  'intranet',
  'private',
  'lan',
  'home',
  'corp',
]
const insideSuffixes = [...insideNames, 'home.arpa']

const isInside = (host: string): boolean =>
  insideSuffixes.some(suffix => host === suffix || host.endsWith(`.${suffix}`))

const textProblem = (text: string): string | null => {
  if (text.length > endpointUrlLengthMax) {
    return `the URL has ${text.length} characters; at most ${endpointUrlLengthMax} are allowed`
  }
  // The URL parser would drop these in silence, and a person who sees the URL would see another one.
  if (/[\s\p{Cc}\p{Cf}\\]/u.test(text)) {
    return 'the URL has a space, a backslash or an invisible character; write such characters percent-encoded'
  }
  return null
}

/** Other schemes are not repeated: without one, a user name is read as it (`user:password@example.com`). */
const namedSchemes = ['http:', 'ws:', 'wss:', 'ftp:', 'file:', 'data:']

const schemeProblem = (url: URL, allowPrivate: boolean): string | null => {
  if (url.protocol === 'https:' || (allowPrivate && url.protocol === 'http:')) return null
  const right = allowPrivate ? 'https:// or http://' : 'https://'
  const wrong = namedSchemes.includes(url.protocol) ? url.protocol : 'another scheme'
  return `the URL begins with ${wrong}; it must begin with ${right}`
}

const partsProblem = (url: URL, text: string): string | null => {
  if (url.username !== '' || url.password !== '') {
    return 'the URL holds a user name or password; requests are signed instead, so leave it out'
  }
  if (text.includes('#')) return 'the URL has a fragment (#...), which is never sent; leave it out'
  return null
}

const portProblem = (url: URL, allowPrivate: boolean): string | null => {
  if (url.port === '') return null
  const port = Number(url.port)
  if (port === 0) return 'port 0 is no port; use 443, or 1024 and above'
  if (allowPrivate || port >= ownPortMin || port === 443) return null
  return `port ${port} belongs to another protocol; use 443, or 1024 and above`
}

/** What is wrong with a name that DNS could not hold, or null. */
const nameProblem = (host: string): string | null => {
  if (host.endsWith('.')) return 'the host ends with a dot; write it without'
  const labels = host.split('.')
  const fits = host.length <= hostLengthMax && labels.every(label => label.length <= labelLengthMax)
  if (!fits) return `the host name is too long; a name has at most ${hostLengthMax} characters, a label 63`
  if (!labels.every(label => /^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?$/.test(label))) {
    return 'the host is no valid name; letters, digits and hyphens make its labels, dots part them'
  }
  return null
}

const insideProblem = (host: string): string | null => {
  if (isInside(host)) return `${host} is a name within a network; use a public host name`
  if (!host.includes('.')) return `${host} is a name without a domain; use a public host name`
  return null
}

const refusal = (problem: string): EndpointUrl => ({ ok: false, reason: 'url_refused', problem })

/** The host of a URL as an address, without the brackets of IPv6; null where it is a name. */
export const literalAddress = (hostname: string): string | null => {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
  return ipaddr.isValid(bare) ? bare : null
}

/**
 * Reads an endpoint's URL and says whether we may send to it (DESIGN.md, section 6, "One attempt"). Hosts are judged
 * as the URL standard reads them, so that no notation of an address gets by. Names are judged again where they are
 * resolved. `allowPrivate` is a laptop's: http, any port, names and addresses of its own network.
 */
export const parseEndpointUrl = (text: string, settings: { allowPrivate: boolean }): EndpointUrl => {
  const { allowPrivate } = settings
  const unreadable = textProblem(text)
  if (unreadable !== null) return refusal(unreadable)
  const url = URL.parse(text)
  if (url === null) return refusal('not a valid URL; write it like https://example.com/webhooks')
  const problem =
    schemeProblem(url, allowPrivate) ?? partsProblem(url, text) ?? portProblem(url, allowPrivate)
  if (problem !== null) return refusal(problem)
  const address = literalAddress(url.hostname)
  if (address !== null) {
    const verdict = addressVerdict(address, settings)
    if (verdict.allowed) return { ok: true, url }
    const said = `${address} is not a public address (${verdict.range}); use one that the internet can reach`
    return { ok: false, reason: 'address_refused', problem: said }
  }
  const host = url.hostname
  const wrong = nameProblem(host) ?? (allowPrivate ? null : insideProblem(host))
  return wrong === null ? { ok: true, url } : refusal(wrong)
}
