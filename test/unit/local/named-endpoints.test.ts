import { describe, expect, test } from 'vitest'
import { putNamedEndpoints, toEndpoint } from '../../../infra/local/named-endpoints.ts'
import { createMemoryEndpointStore } from '../../../shared/adapters/memory/endpoint-store.ts'

const named = (path: string) => toEndpoint({ url: `https://example.com/${path}`, secret: null, types: ['*'] })

describe('the endpoints of a start', () => {
  test('those that are not named any more are disabled, so that what is for them is held', async () => {
    const store = createMemoryEndpointStore()
    await putNamedEndpoints([named('a'), named('b')], store)
    const others = await putNamedEndpoints([named('b')], store)
    expect(others.map(({ id }) => id)).toEqual([named('a').id])
    expect(await store.read(named('a').id)).toMatchObject({ state: 'disabled', stateReason: 'not_named' })
    expect(await store.read(named('b').id)).toMatchObject({ state: 'active', stateReason: null })
  })

  test('one that is named again is active again, also where a 410 had disabled it', async () => {
    const store = createMemoryEndpointStore()
    const endpoint = named('a')
    await putNamedEndpoints([endpoint], store)
    await store.setState({ id: endpoint.id, state: 'disabled', reason: 'answered_410' })
    expect(await putNamedEndpoints([endpoint], store)).toEqual([])
    expect(await store.read(endpoint.id)).toMatchObject({ state: 'active', stateReason: null })
  })

  test('the reason of one that a 410 disabled stays, and one that was removed stays so', async () => {
    const store = createMemoryEndpointStore()
    await putNamedEndpoints([named('a'), named('b')], store)
    await store.setState({ id: named('a').id, state: 'disabled', reason: 'answered_410' })
    await store.setState({ id: named('b').id, state: 'removed', reason: null })
    const others = await putNamedEndpoints([named('c')], store)
    expect(others.map(({ id }) => id)).toEqual([named('a').id])
    expect(await store.read(named('a').id)).toMatchObject({ state: 'disabled', stateReason: 'answered_410' })
    expect(await store.read(named('b').id)).toMatchObject({ state: 'removed' })
  })

  test('a secret that is given has a name of its own; without one the key is derived', () => {
    const given = toEndpoint({ url: 'https://example.com/a', secret: 'whsec_x', types: ['*'] })
    expect(given.keys).toEqual([{ version: 1, secret: `given-${given.id}`, signsUntilMs: null }])
    expect(named('a').keys).toEqual([{ version: 1, secret: null, signsUntilMs: null }])
    expect(JSON.stringify(given)).not.toContain('whsec_x')
  })
})
