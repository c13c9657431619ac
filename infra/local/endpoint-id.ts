import { createHash } from 'node:crypto'

const idChars = 16

/**
 * An endpoint's id: a hash of its URL as the URL standard writes it, so that it is the same after a restart and for
 * `HTTPS://Example.com` and `https://example.com/`. The URL must be a valid one.
 */
export const endpointId = (url: string): string => `ep_${shortHash(new URL(url).href)}`

/**
 * A source's id: a hash of origin and path prefix. Event ids depend on it, so it must not change with the token or
 * any other setting.
 */
export const sourceId = (source: { baseUrl: string; pathPrefix: string }): string =>
  `src_${shortHash(`${new URL(source.baseUrl).origin} ${source.pathPrefix}`)}`

const shortHash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, idChars)
