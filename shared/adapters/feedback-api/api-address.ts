import { BridgeError } from '../../domain/bridge-error.ts'

/** A base URL and a path prefix that a request can be made of. */
export type ApiAddress = {
  origin: string
  /** `path` starts with a slash; `query` is without its question mark. */
  url(path: string, query: string): URL
}

/** A setting that is no usable address. The message holds no more of it than is safe: a URL may carry a password. */
export class InvalidApiAddress extends BridgeError {
  constructor(problem: string) {
    super({
      code: 'feedback_address_invalid',
      message: `The email service's base URL can't be used: ${problem}`,
      hint: 'Give scheme, host and port, as https://api.example.com; the path prefix (default /api/v2) and the token are settings of their own.',
    })
  }
}

/** Throws `InvalidApiAddress`. */
export function apiAddress(baseUrl: string, pathPrefix: string): ApiAddress {
  const base = URL.parse(baseUrl)
  if (base === null) throw new InvalidApiAddress('it is no URL')
  if (base.protocol !== 'https:' && base.protocol !== 'http:')
    throw new InvalidApiAddress(`its scheme is ${base.protocol.slice(0, -1)}, not https`)
  if (base.username !== '' || base.password !== '')
    throw new InvalidApiAddress('it holds a user name or password')
  if (base.search !== '' || base.hash !== '') throw new InvalidApiAddress('it holds a query or a fragment')
  const prefix = [...base.pathname.split('/'), ...pathPrefix.split('/')].filter(part => part !== '').join('/')
  return {
    origin: base.origin,
    url: (path, query) => {
      const url = new URL(base.origin)
      url.pathname = prefix === '' ? path : `/${prefix}${path}`
      // The setter encodes whatever no URL may hold, and can't touch the origin.
      url.search = query
      return url
    },
  }
}
