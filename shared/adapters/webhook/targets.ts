import { parseEndpointUrl } from '../../domain/endpoint/endpoint-url.ts'

/** URLs remembered; beyond that all are read again. */
export const targetsRememberedMax = 20_000

/** Where a URL sends to, or why it is not one we send to. */
export type Target =
  | { ok: true; origin: string /** With the query. */; path: string }
  | { ok: false; reason: 'url_refused' | 'address_refused' }

/** Reads endpoints' URLs, each once: what a URL means never changes, and its name is judged anew where it is resolved. */
export const createTargets = (settings: {
  allowPrivate: boolean
  rememberedMax?: number
}): ((url: string) => Target) => {
  const { rememberedMax = targetsRememberedMax } = settings
  const known = new Map<string, Target>()
  const read = (text: string): Target => {
    const parsed = parseEndpointUrl(text, settings)
    if (!parsed.ok) return { ok: false, reason: parsed.reason }
    const { origin, pathname, search } = parsed.url
    return { ok: true, origin, path: `${pathname}${search}` }
  }
  return text => {
    const before = known.get(text)
    if (before !== undefined) return before
    const target = read(text)
    if (known.size >= rememberedMax) known.clear()
    known.set(text, target)
    return target
  }
}
