import { parseEndpointUrl } from '../../shared/domain/endpoint/endpoint-url.ts'
import type { Source } from '../../shared/domain/source.ts'
import type { BridgeSettings } from './settings.ts'
import type { RunningBridge } from './start-bridge.ts'

/** An endpoint as a person may see it: of its URL the origin alone, since paths and queries may be secrets. */
const shown = ({ id, url }: { id: string; url: string }): string => `${id} (${new URL(url).origin})`

const polled = ({ id, baseUrl, pathPrefix }: Source): string => `${baseUrl}${pathPrefix} (${id})`

/** Names beyond it are counted: a folder may have hundreds of endpoints. */
const namesMax = 10

const some = (names: readonly string[]): string => {
  const more = names.length - namesMax
  return [...names.slice(0, namesMax), ...(more > 0 ? [`${more} more`] : [])].join(', ')
}

/** What a person should know at the start. */
export const introduction = (
  settings: BridgeSettings,
  bridge: Pick<RunningBridge, 'sources' | 'endpoints' | 'notNamed' | 'secretsPath' | 'left'>,
): string[] => {
  const { sources, endpoints, notNamed, left } = bridge
  const lines = [
    `Polling ${some(sources.map(polled)) || 'nothing, since every source is paused'}, sending to ${some(endpoints.map(shown)) || 'no endpoint yet: bridge endpoint add makes one'}.`,
    `State is kept in ${settings.dataDir}. ${settings.once ? 'Ends when all is settled.' : 'Ctrl-C stops it.'}`,
  ]
  if (settings.endpoints.some(({ secret }) => secret === null)) {
    lines.push(`The signing secrets that receivers need are in ${bridge.secretsPath}.`)
  }
  if (notNamed.length > 0) {
    lines.push(`Not named now, so held is what is for ${some(notNamed.map(shown))}.`)
  }
  const refused = settings.allowPrivate ? [] : endpoints.filter(isPrivate)
  if (refused.length > 0) {
    lines.push(`Without --allow-private-endpoints nothing is sent to ${some(refused.map(shown))}.`)
  }
  if (sources.some(({ baseUrl }) => sendsTokenInClear(baseUrl))) {
    lines.push('Beware: a source is asked over http, so that its token can be read on the way; use https.')
  }
  const count = (state: string) => left.standing.filter(entry => entry.state === state).length
  const more = left.andMore ? ' or more' : ''
  if (left.standing.length > 0) {
    lines.push(
      `From earlier starts: ${count('waiting')} waiting, ${count('held')} held, ${count('dead')} dead${more}.`,
    )
  }
  return lines
}

/** The operator's command takes such a one for a bridge that is started with the flag. */
const isPrivate = ({ url }: { url: string }): boolean => !parseEndpointUrl(url, { allowPrivate: false }).ok

const sendsTokenInClear = (baseUrl: string): boolean => {
  const { protocol, hostname } = new URL(baseUrl)
  return (
    protocol === 'http:' && hostname !== 'localhost' && hostname !== '[::1]' && !hostname.startsWith('127.')
  )
}
