import { createHash } from 'node:crypto'

export type Stream = 'bounces' | 'complaints'

const crockford = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

const base32 = (hex: string, chars: number): string => {
  let left = BigInt(`0x${hex}`)
  let text = ''
  for (let at = 0; at < chars; at++) {
    text = `${crockford[Number(left % 32n)]}${text}`
    left /= 32n
  }
  return text
}

/** What DESIGN.md, invariant 3, says, written a second time: a ULID of the second and 80 bits of a hash. */
export const expectedEventId = (of: {
  source: string
  stream: Stream
  uuid: string
  second: number
}): string => {
  const time = (of.second * 1000).toString(16)
  const bits = sha256(JSON.stringify([of.source, of.stream, of.uuid])).slice(0, 20)
  return `evt_${base32(time, 10)}${base32(bits, 16)}`
}

/** The local source's id: a hash of its origin and path prefix. */
export const expectedSourceId = (origin: string, pathPrefix: string): string =>
  `src_${sha256(`${origin} ${pathPrefix}`).slice(0, 16)}`

/** An endpoint's id: a hash of its URL, the same after a restart. */
export const expectedEndpointId = (url: string): string => `ep_${sha256(url).slice(0, 16)}`
