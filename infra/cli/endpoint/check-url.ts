import { createSystemResolver, type ResolveHost } from '../../../shared/adapters/webhook/resolver.ts'
import { addressVerdict } from '../../../shared/domain/endpoint/address-guard.ts'
import { literalAddress, parseEndpointUrl } from '../../../shared/domain/endpoint/endpoint-url.ts'
import { CommandError, RefusedError, UsageError } from '../failures.ts'
import type { Target } from '../target/operator-bridge.ts'
import { checked } from '../values.ts'

/** Both families, with the resolver's own tries. */
const lookupTimeoutMs = 6_000

/** A URL that could be meant; whether this bridge may send there, `checkUrl` says. */
export const urlValue = checked<string>(text => {
  const parsed = parseEndpointUrl(text, { allowPrivate: true })
  return parsed.ok || parsed.reason === 'address_refused' ? { value: text } : { problem: parsed.problem }
})

/** What a laptop may allow, the cloud can't. Throws a `RefusedError`. */
export const checkAllowPrivate = (target: Target, allowPrivate: boolean): void => {
  if (!allowPrivate || target.kind === 'local') return
  throw new RefusedError({
    code: 'private_endpoints_refused',
    message: 'a deployed bridge sends to public addresses over https only',
    hint: 'Leave out --allow-private-endpoints, and give a public https:// URL.',
  })
}

/**
 * The URL as the URL standard writes it. Throws a `UsageError` for one that can't be meant, and a `RefusedError` for one
 * whose literal address is none that we send to.
 */
export const checkUrl = (text: string, { allowPrivate }: { allowPrivate: boolean }): URL => {
  const parsed = parseEndpointUrl(text, { allowPrivate })
  if (parsed.ok) return parsed.url
  const wouldDo = !allowPrivate && parseEndpointUrl(text, { allowPrivate: true }).ok
  const hint = 'A local bridge may send there with --allow-private-endpoints.'
  if (parsed.reason === 'url_refused')
    throw new UsageError([parsed.problem, ...(wouldDo ? [`  ${hint}`] : [])])
  throw new RefusedError({
    code: 'address_refused',
    message: parsed.problem,
    hint: wouldDo ? hint : 'Give a URL that the internet can reach.',
  })
}

/** What has a local bridge send to an endpoint that was refused; null where it would not help, or the bridge is deployed. */
export const privateMend = (
  { url }: { url: string },
  of: { target: Target; allowPrivate: boolean; reason: string },
): string | null => {
  const isRefusal = of.reason === 'url_refused' || of.reason === 'address_refused'
  if (!isRefusal || of.allowPrivate || of.target.kind !== 'local') return null
  return parseEndpointUrl(url, { allowPrivate: true }).ok
    ? 'A local bridge sends there if it is started with --allow-private-endpoints; give the flag here too.'
    : null
}

/**
 * Resolves the host and judges every address, as each attempt will. Throws a `RefusedError` where one of them is none that
 * we send to, a `CommandError` where the name has none.
 */
export const checkAddresses = async (
  url: URL,
  settings: { allowPrivate: boolean; resolve?: ResolveHost },
): Promise<void> => {
  // The URL's own check has judged a literal one.
  if (literalAddress(url.hostname) !== null) return
  const addresses = await resolved(url.hostname, settings.resolve ?? createSystemResolver())
  for (const address of addresses) {
    const verdict = addressVerdict(address, settings)
    if (verdict.allowed) continue
    throw new RefusedError({
      code: 'address_refused',
      message: `${url.hostname} has the address ${address}, which is not a public one (${verdict.range})`,
      hint: 'Give a host with public addresses alone; a local bridge may allow others with --allow-private-endpoints.',
    })
  }
}

const resolved = async (host: string, resolve: ResolveHost): Promise<string[]> => {
  try {
    return await resolve(host, AbortSignal.timeout(lookupTimeoutMs))
  } catch (error) {
    throw new CommandError({
      code: 'dns_failed',
      message: `${host} has no address now`,
      hint: 'Check the name; if it will have one later, add --skip-dns.',
      cause: error,
    })
  }
}
