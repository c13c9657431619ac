import { describe, expect, test } from 'vitest'
import { putNamedEndpoints, toEndpoint } from '../../../infra/local/named-endpoints.ts'
import { createMemoryEndpointStore } from '../../../shared/adapters/memory/endpoint-store.ts'
import { noFilters } from '../../../shared/domain/endpoint/endpoint.ts'

const named = (path: string) => toEndpoint({ url: `https://example.com/${path}`, secret: null, types: ['*'] })

describe('the endpoints of a start', () => {
  test('those that are not named any more are disabled, so that what is for them is held', async () => {
    const store = createMemoryEndpointStore()
    await putNamedEndpoints([named('a'), named('b')], { store, nowMs: 0 })
    const { notNamed } = await putNamedEndpoints([named('b')], { store, nowMs: 0 })
    expect(notNamed.map(({ id }) => id)).toEqual([named('a').id])
    expect(await store.read(named('a').id)).toMatchObject({ state: 'disabled', stateReason: 'not_named' })
    expect(await store.read(named('b').id)).toMatchObject({ state: 'active', stateReason: null })
  })

  test('one that is named again is active again, also where a 410 had disabled it', async () => {
    const store = createMemoryEndpointStore()
    const endpoint = named('a')
    await putNamedEndpoints([endpoint], { store, nowMs: 0 })
    await store.setState({ id: endpoint.id, state: 'disabled', reason: 'answered_410', atMs: 0 })
    expect((await putNamedEndpoints([endpoint], { store, nowMs: 0 })).notNamed).toEqual([])
    expect(await store.read(endpoint.id)).toMatchObject({ state: 'active', stateReason: null })
  })

  test('the reason of one that a 410 disabled stays, and one that was removed stays so', async () => {
    const store = createMemoryEndpointStore()
    await putNamedEndpoints([named('a'), named('b')], { store, nowMs: 0 })
    await store.setState({ id: named('a').id, state: 'disabled', reason: 'answered_410', atMs: 0 })
    await store.setState({ id: named('b').id, state: 'removed', reason: null, atMs: 0 })
    const { notNamed } = await putNamedEndpoints([named('c')], { store, nowMs: 0 })
    expect(notNamed.map(({ id }) => id)).toEqual([named('a').id])
    expect(await store.read(named('a').id)).toMatchObject({ state: 'disabled', stateReason: 'answered_410' })
    expect(await store.read(named('b').id)).toMatchObject({ state: 'removed' })
  })

  test('what the operator added is left alone', async () => {
    const store = createMemoryEndpointStore()
    const added = { ...named('a'), id: 'crm' }
    await store.put(added)
    expect((await putNamedEndpoints([named('b')], { store, nowMs: 0 })).notNamed).toEqual([])
    expect(await store.read('crm')).toEqual(added)
  })

  test('one that is named keeps the filters and key versions that the operator gave it', async () => {
    const store = createMemoryEndpointStore()
    const keys = [
      { version: 1, secret: null, signsUntilMs: 1_000 },
      { version: 2, secret: null, signsUntilMs: null },
    ]
    const filters = { ...noFilters, senderDomains: ['example.com'] }
    await store.put({ ...named('a'), keys, filters })
    const { endpoints } = await putNamedEndpoints([{ ...named('a'), types: ['email.complaint'] }], {
      store,
      nowMs: 0,
    })
    expect(endpoints).toEqual([{ ...named('a'), keys, filters, types: ['email.complaint'] }])
    expect(await store.read(named('a').id)).toEqual(endpoints[0])
  })

  test('a secret of the command line takes the place of all keys, and none that of such a secret', async () => {
    const store = createMemoryEndpointStore()
    const given = toEndpoint({ url: 'https://example.com/a', secret: 'whsec_x', types: ['*'] })
    await store.put({ ...named('a'), keys: [{ version: 7, secret: null, signsUntilMs: null }] })
    expect((await putNamedEndpoints([given], { store, nowMs: 0 })).endpoints).toEqual([given])
    expect((await putNamedEndpoints([named('a')], { store, nowMs: 0 })).endpoints).toEqual([named('a')])
  })

  test('a secret that is given has a name of its own; without one the key is derived', () => {
    const given = toEndpoint({ url: 'https://example.com/a', secret: 'whsec_x', types: ['*'] })
    expect(given.keys).toEqual([{ version: 1, secret: `given-${given.id}`, signsUntilMs: null }])
    expect(named('a').keys).toEqual([{ version: 1, secret: null, signsUntilMs: null }])
    expect(JSON.stringify(given)).not.toContain('whsec_x')
  })
})
