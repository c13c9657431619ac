import { Document, isMap, isScalar } from 'yaml'
import type { Endpoint } from '../../../shared/domain/endpoint/endpoint.ts'
import type { Source } from '../../../shared/domain/source.ts'
import { fileVersion } from './file-schema.ts'
import type { Current } from './plan.ts'
import { type Settings, settingsOfEndpoint, settingsOfSource } from './settings.ts'

/** Longer texts stay on one line: a URL that is wrapped is hard to read, and to search for. */
const lineWidthMax = 0

const head = ` The sources and endpoints of a bridge. After a change:
   bridge apply --file FILE --dry-run
 No token and no key is in it: API tokens are given by bridge source token ID, and signing keys follow from the
 bridge's master secret. (The path of a URL may be a secret of its own.) A setting that is left out has its default;
 paused and disabled stay as they are.`
const ownSecret = ' Signs with a secret of its own, which is kept by the bridge alone.'

/** What a file holds that declares a bridge as it is. Removed endpoints are not of it. */
export const declarationOf = ({ sources, endpoints }: Current) => {
  const present = endpoints.filter(({ state }) => state !== 'removed')
  return {
    version: fileVersion,
    sources: Object.fromEntries(sources.map(source => [source.id, given(settingsOfSource(source))])),
    endpoints: Object.fromEntries(
      present.map((endpoint, at) => [endpoint.id, settingsOf(endpoint, present, at)]),
    ),
  }
}

const settingsOf = (endpoint: Endpoint, all: readonly Endpoint[], at: number): Settings => {
  const isShared = all.slice(0, at).some(({ url }) => url === endpoint.url)
  return given({ ...settingsOfEndpoint(endpoint), 'same-url': isShared ? true : undefined })
}

const given = (settings: Settings): Settings =>
  Object.fromEntries(Object.entries(settings).filter(([, setting]) => setting !== undefined))

/** The file that declares a bridge as it is. */
export const writeDeclared = (current: {
  sources: readonly Source[]
  endpoints: readonly Endpoint[]
}): string => {
  const document = new Document(declarationOf(current))
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
