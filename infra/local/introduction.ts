import type { BridgeSettings } from './settings.ts'
import type { RunningBridge } from './start-bridge.ts'

/** An endpoint as a person may see it: of its URL the origin alone, since paths and queries may be secrets. */
const shown = ({ id, url }: { id: string; url: string }): string => `${id} (${new URL(url).origin})`

/** What a person should know at the start. */
export const introduction = (settings: BridgeSettings, bridge: RunningBridge): string[] => {
  const { source, endpoints, notNamed, left } = bridge
  const lines = [
    `Polling ${source.baseUrl}${source.pathPrefix} (${source.id}), sending to ${endpoints.map(shown).join(', ')}.`,
    `State is kept in ${settings.dataDir}. ${settings.once ? 'Ends when all is settled.' : 'Ctrl-C stops it.'}`,
  ]
  if (settings.endpoints.some(({ secret }) => secret === null)) {
    lines.push(`The signing secrets that receivers need are in ${bridge.secretsPath}.`)
  }
  if (notNamed.length > 0) {
    lines.push(`Not named now, so held is what is for ${notNamed.map(shown).join(', ')}.`)
  }
  if (sendsTokenInClear(source.baseUrl)) {
    lines.push('Beware: the source is asked over http, so that its token can be read on the way; use https.')
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

const sendsTokenInClear = (baseUrl: string): boolean => {
  const { protocol, hostname } = new URL(baseUrl)
  return (
    protocol === 'http:' && hostname !== 'localhost' && hostname !== '[::1]' && !hostname.startsWith('127.')
  )
}
