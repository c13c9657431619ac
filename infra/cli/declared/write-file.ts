import { Document, isMap, isScalar } from 'yaml'
import type { Endpoint } from '../../../shared/domain/endpoint/endpoint.ts'
import { fileVersion } from './file-schema.ts'
import type { Current } from './plan.ts'
import { type HeaderSetting, type Settings, settingsOfEndpoint, settingsOfSource } from './settings.ts'

/** Longer texts stay on one line: a URL that is wrapped is hard to read, and to search for. */
const lineWidthMax = 0

const head = ` The sources and endpoints of a bridge. After a change:
   bridge apply --file FILE --dry-run
 No token and no key is in it: API tokens are given by bridge source token ID, and signing keys follow from the
 bridge's master secret; what an endpoint is asked with by bridge endpoint authorization ID. A header without a value
 keeps the one that the endpoint has. (The path of a URL may be a secret of its own.) A setting that is left out has its default;
 paused and disabled stay as they are.`
const ownSecret = ' Signs with a secret of its own, which is kept by the bridge alone.'

/** Whether values of endpoints' headers are written: they may be secrets. */
type Shown = { showsHeaders: boolean }

/** What a file holds that declares a bridge as it is. Removed endpoints are not of it. */
export const declarationOf = ({ sources, endpoints }: Current, { showsHeaders }: Shown) => {
  const present = endpoints.filter(({ state }) => state !== 'removed')
  return {
    version: fileVersion,
    sources: Object.fromEntries(sources.map(source => [source.id, given(settingsOfSource(source))])),
    endpoints: Object.fromEntries(
      present.map((endpoint, at) => [endpoint.id, settingsOf(endpoint, { all: present, at, showsHeaders })]),
    ),
  }
}

/** Without the values of its headers, which may be secrets: then a file keeps those that there are. */
const withoutValues = (headers: Endpoint['headers']): HeaderSetting =>
  Object.fromEntries(Object.keys(headers).map(name => [name, null]))

const settingsOf = (
  endpoint: Endpoint,
  { all, at, showsHeaders }: Shown & { all: readonly Endpoint[]; at: number },
): Settings => {
  const isShared = all.slice(0, at).some(({ url }) => url === endpoint.url)
  const settings = settingsOfEndpoint(endpoint)
  return given({
    ...settings,
    ...(!showsHeaders && settings['headers'] !== undefined && { headers: withoutValues(endpoint.headers) }),
    'same-url': isShared ? true : undefined,
  })
}

const given = (settings: Settings): Settings =>
  Object.fromEntries(Object.entries(settings).filter(([, setting]) => setting !== undefined))

/** The file that declares a bridge as it is. */
export const writeDeclared = (current: Current, shown: Shown): string => {
  const document = new Document(declarationOf(current, shown))
  document.commentBefore = head
  for (const { id, keys } of current.endpoints) {
    const settings: unknown = document.getIn(['endpoints', id], true)
    if (isMap(settings) && keys.some(({ secret }) => secret !== null)) settings.commentBefore = ownSecret
  }
  const { contents } = document
  for (const pair of isMap(contents) ? contents.items : []) {
    if (isScalar(pair.key) && pair.key.value !== 'version') pair.key.spaceBefore = true
  }
  return document.toString({ lineWidth: lineWidthMax }).trimEnd()
}
