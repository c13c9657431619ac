import { createSystemResolver, type ResolveHost } from '../../../shared/adapters/webhook/resolver.ts'
import { addressVerdict } from '../../../shared/domain/endpoint/address-guard.ts'
import { literalAddress, parseEndpointUrl } from '../../../shared/domain/endpoint/endpoint-url.ts'
import { CommandError, RefusedError, UsageError } from '../failures.ts'
import type { Target } from '../target/operator-bridge.ts'

/** Both families, with the resolver's own tries. */
const lookupTimeoutMs = 6_000

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
