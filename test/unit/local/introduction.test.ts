import { expect, test } from 'vitest'
import { introduction } from '../../../infra/local/introduction.ts'
import type { BridgeSettings } from '../../../infra/local/settings.ts'
import { type Endpoint, endpointDefaults } from '../../../shared/domain/endpoint/endpoint.ts'
import { type Source, sourceDefaults } from '../../../shared/domain/source.ts'

const settings: BridgeSettings = {
  ...{ source: null, token: null, endpoints: [], retrySchedule: [], deadlineMs: 1 },
  ...{ dataDir: 'shop', allowPrivate: false, once: false },
}
const sourceOf = (id: string): Source => ({
  ...sourceDefaults,
  ...{ id, baseUrl: 'https://service.example', tokenSecret: `token-${id}` },
})
const endpointOf = (id: string, url: string): Endpoint => ({
  ...endpointDefaults,
  ...{ id, url, types: ['*'], keys: [] },
})
const bridge = { notNamed: [], secretsPath: '', left: { standing: [], andMore: false } }

test('a folder’s own sources and endpoints are named, and those that nothing is sent to', () => {
  const sources = [sourceOf('main'), sourceOf('partner')]
  const endpoints = [endpointOf('crm', 'https://a.example/x'), endpointOf('here', 'http://127.0.0.1:3000/x')]
  expect(introduction(settings, { ...bridge, sources, endpoints })).toEqual([
    'Polling https://service.example/api/v2 (main), https://service.example/api/v2 (partner), sending to crm (https://a.example), here (http://127.0.0.1:3000).',
    'State is kept in shop. Ctrl-C stops it.',
    'Without --allow-private-endpoints nothing is sent to here (http://127.0.0.1:3000).',
  ])
  expect(introduction({ ...settings, allowPrivate: true }, { ...bridge, sources, endpoints })).toHaveLength(2)
})

test('nothing to poll or nowhere to send is said with what changes it, and many names are counted', () => {
  const [none] = introduction(settings, { ...bridge, sources: [], endpoints: [] })
  expect(none).toBe(
    'Polling nothing, since every source is paused, sending to no endpoint yet: bridge endpoint add makes one.',
  )
  const many = Array.from({ length: 13 }, (_, at) => endpointOf(`e${at}`, 'https://a.example/'))
  const [counted] = introduction(settings, { ...bridge, sources: [], endpoints: many })
  expect(counted).toContain('e9 (https://a.example), 3 more.')
})
