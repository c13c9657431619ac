import ipaddr from 'ipaddr.js'

/** Why an address is refused; `not_an_address` where it can't be read as one. */
export type RefusedRange =
  | 'not_an_address'
  | 'unspecified'
  | 'loopback'
  | 'private'
  | 'unique_local'
  | 'link_local'
  | 'carrier_grade_nat'
  | 'multicast'
  | 'broadcast'
  | 'cloud_metadata'
  | 'nat64'
  | '6to4'
  | 'isatap'
  | 'reserved'

export type AddressVerdict = { allowed: true } | { allowed: false; range: RefusedRange }

type Address = ReturnType<typeof ipaddr.parse>
type AddressV6 = ReturnType<typeof ipaddr.IPv6.parse>

const allowed: AddressVerdict = { allowed: true }
const refused = (range: RefusedRange): AddressVerdict => ({ allowed: false, range })

/**
 * What a laptop's flag opens: its own receivers and those of its network. Never link-local, which is where clouds
 * keep their metadata service, and nothing that is no host's address.
 */
const laptopRanges: readonly RefusedRange[] = ['loopback', 'private', 'unique_local']

/** Names of the library's ranges that tell more than "reserved". */
const rangeNames: ReadonlyMap<string, RefusedRange> = new Map([
  ['unspecified', 'unspecified'],
  ['loopback', 'loopback'],
  ['private', 'private'],
  ['uniqueLocal', 'unique_local'],
  ['linkLocal', 'link_local'],
  ['carrierGradeNat', 'carrier_grade_nat'],
  ['multicast', 'multicast'],
  ['broadcast', 'broadcast'],
])

// The only space that IANA hands out to hosts; the library calls all that it doesn't know "unicast".
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')
// The metadata services of the cloud we run on live here, within the unique-local space that laptops may use.
const cloudMetadata = ipaddr.IPv6.parseCIDR('fd00:ec2::/32')
const nat64WellKnown = ipaddr.IPv6.parseCIDR('64:ff9b::/96')

/** The IPv4 address in the two 16-bit groups from `index` on. */
const embeddedIn = (address: AddressV6, index: number): Address =>
  new ipaddr.IPv4(address.toByteArray().slice(index * 2, index * 2 + 4))

/** A transition form is as good as the public IPv4 address it leads to; private ones are never meant by it. */
const verdictOfEmbedded = (embedded: Address, range: RefusedRange): AddressVerdict =>
  verdictOf(embedded, false).allowed ? allowed : refused(range)

/** RFC 5214, section 6.1: `0000:5efe` or `0200:5efe` stands before an IPv4 address, under a prefix of any network. */
const isIsatap = (address: AddressV6): boolean => {
  const interfaceId = Buffer.from(address.toByteArray().slice(8, 12)).toString('hex')
  return interfaceId === '00005efe' || interfaceId === '02005efe'
}

const rangeOfV6 = (address: AddressV6, library: string): RefusedRange | null => {
  if (address.match(cloudMetadata)) return 'cloud_metadata'
  const named = rangeNames.get(library)
  if (named !== undefined) return named
  return library === 'unicast' && address.match(globalUnicast) ? null : 'reserved'
}

const verdictOf = (address: Address, allowPrivate: boolean): AddressVerdict => {
  const library: string = address.range()
  let range: RefusedRange | null
  if (address instanceof ipaddr.IPv6) {
    if (library === 'ipv4Mapped') return verdictOf(address.toIPv4Address(), allowPrivate)
    if (address.match(nat64WellKnown)) return verdictOfEmbedded(embeddedIn(address, 6), 'nat64')
    if (library === 'rfc6052') return refused('nat64')
    if (library === '6to4') return verdictOfEmbedded(embeddedIn(address, 1), '6to4')
    range = rangeOfV6(address, library)
    if (range === null && isIsatap(address)) return verdictOfEmbedded(embeddedIn(address, 6), 'isatap')
  } else {
    range = library === 'unicast' ? null : (rangeNames.get(library) ?? 'reserved')
  }
  if (range === null) return allowed
  return allowPrivate && laptopRanges.includes(range) ? allowed : refused(range)
}

/**
 * The address in its one canonical notation, null where it is none. Read by the URL standard's rules, since the
 * library takes `::127.0.0.1` for another address than `connect` does.
 */
const canonical = (address: string): string | null => {
  // Nothing that could be more than a host; a zone (`fe80::1%eth0`) would choose an interface of ours.
  if (!/^[0-9a-fx.:]+$/i.test(address)) return null
  const isV6 = address.includes(':')
  const host = URL.parse(isV6 ? `http://[${address}]` : `http://${address}`)?.hostname ?? ''
  const bare = isV6 ? host.slice(1, -1) : host
  return ipaddr.isValid(bare) ? bare : null
}

/**
 * May we connect to this address? Reads every notation of IPv4 and IPv6 that a resolver or `connect` may read
 * (`2130706433`, `0x7f.1`, `::ffff:7f00:1`). Allowed are public unicast addresses, and mapped, NAT64 (well-known
 * prefix), 6to4 and ISATAP forms of these; local-use NAT64, Teredo, IPv4-compatible and all else are refused.
 * `allowPrivate` adds loopback, RFC 1918 and unique-local ones (DESIGN.md, section 6, "One attempt").
 */
export const addressVerdict = (address: string, settings: { allowPrivate: boolean }): AddressVerdict => {
  const read = canonical(address)
  return read === null ? refused('not_an_address') : verdictOf(ipaddr.parse(read), settings.allowPrivate)
}
