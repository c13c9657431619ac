import { describe, expect, test } from 'vitest'
import { createMemoryEndpointStore } from '../../../shared/adapters/memory/endpoint-store.ts'
import {
  createEndpointDirectory,
  endpointsCachedMsDefault,
} from '../../../shared/domain/delivery/endpoint-directory.ts'
import type { Endpoint } from '../../../shared/domain/endpoint/endpoint.ts'
import type { Happening } from '../../../shared/domain/happenings.ts'
import { answered, createTestClock, endpointOf } from './harness.ts'

const create = async (...stored: Endpoint[]) => {
  const { clock, turn } = createTestClock()
  const store = createMemoryEndpointStore()
  for (const endpoint of stored) await store.put(endpoint)
  const asked: string[] = []
  const happenings: Happening[] = []
  const endpoints = {
    ...store,
    list: () => {
      asked.push('list')
      return store.list()
    },
    read: (id: string) => {
      asked.push(`read ${id}`)
      return store.read(id)
    },
    setSlow: (id: string, slow: boolean) => {
      asked.push(`slow ${slow}`)
      return store.setSlow(id, slow)
    },
  }
  const reporter = { report: (happening: Happening) => void happenings.push(happening) }
  return {
    directory: createEndpointDirectory({ endpoints, clock, reporter }),
    endpoints,
    store,
    turn,
    asked,
    happenings,
  }
}

describe('the endpoints', () => {
  test('are listed once for all who ask within seconds', async () => {
    const { directory, turn, asked } = await create(endpointOf())
    await Promise.all([directory.current('endpoint'), directory.current('endpoint')])
    await turn(endpointsCachedMsDefault - 1)
    expect(await directory.current('endpoint')).toEqual(endpointOf())
    expect(asked).toEqual(['list'])
    await turn(1)
    await directory.current('endpoint')
    expect(asked).toEqual(['list', 'list'])
  })

  test.each(['disabled', 'removed'] as const)(
    'that are %s are so only if a consistent read says it too',
    async state => {
      const { directory, store, asked } = await create(endpointOf({ state }))
      expect(await directory.current('endpoint')).toMatchObject({ state })
      await store.setState({ id: 'endpoint', state: 'active', reason: null, atMs: 0 })
      expect(await directory.current('endpoint')).toMatchObject({ state: 'active' })
      expect(await directory.current('endpoint')).toMatchObject({ state: 'active' })
      expect(asked).toEqual(['list', 'read endpoint', 'read endpoint'])
    },
  )

  test('that are new are found before the list is read again', async () => {
    const { directory, store } = await create()
    expect(await directory.current('endpoint')).toBeNull()
    await store.put(endpointOf())
    expect(await directory.current('endpoint')).toEqual(endpointOf())
  })

  test('are asked for again after a list that failed', async () => {
    const { endpoints, store, turn } = await create(endpointOf())
    let fails = true
    const { clock } = createTestClock()
    const list = async () => {
      if (fails) throw new Error('no answer')
      return store.list()
    }
    const directory = createEndpointDirectory({
      endpoints: { ...endpoints, list },
      clock,
      reporter: { report: () => {} },
    })
    await expect(directory.current('endpoint')).rejects.toThrow('no answer')
    fails = false
    await turn(1)
    expect(await directory.current('endpoint')).toEqual(endpointOf())
  })
})

describe('disabling', () => {
  test('is known at once, and says that it was this call', async () => {
    const { directory, store } = await create(endpointOf())
    await directory.current('endpoint')
    expect(await directory.disable('endpoint', 'answered_410')).toBe(true)
    expect(await directory.disable('endpoint', 'answered_410')).toBe(false)
    expect(await directory.current('endpoint')).toMatchObject({
      state: 'disabled',
      stateReason: 'answered_410',
    })
    expect(await store.read('endpoint')).toMatchObject({ state: 'disabled' })
  })

  test('leaves a removed endpoint removed', async () => {
    const { directory, store } = await create(endpointOf({ state: 'removed' }))
    expect(await directory.disable('endpoint', 'answered_410')).toBe(false)
    expect(await store.read('endpoint')).toMatchObject({ state: 'removed' })
  })
})

describe('the mark of a slow endpoint', () => {
  const slowAnswer = answered(200, { tookMs: 5_000 })

  test('is written on a change only', async () => {
    const { directory, asked, happenings } = await create(endpointOf())
    const endpoint = (await directory.current('endpoint')) ?? endpointOf()
    await Promise.all([1, 2, 3].map(() => directory.noteSpeed(endpoint, slowAnswer)))
    expect(asked).toEqual(['list', 'slow true'])
    expect(await directory.current('endpoint')).toMatchObject({ slow: true })
    for (let count = 0; count < 25; count += 1) await directory.noteSpeed(endpoint, answered(200))
    expect(asked).toEqual(['list', 'slow true', 'slow false'])
    expect(happenings).toEqual([
      { kind: 'endpoint_lane', endpoint: 'endpoint', lane: 'slow' },
      { kind: 'endpoint_lane', endpoint: 'endpoint', lane: 'fast' },
    ])
  })

  test("follows another process's word, and counts anew then", async () => {
    const { directory, store, turn, asked } = await create(endpointOf({ slow: true }))
    const endpoint = (await directory.current('endpoint')) ?? endpointOf()
    for (let count = 0; count < 19; count += 1) await directory.noteSpeed(endpoint, answered(200))
    await store.setSlow('endpoint', false)
    await turn(endpointsCachedMsDefault)
    const later = (await directory.current('endpoint')) ?? endpointOf()
    await directory.noteSpeed(later, answered(200))
    await directory.noteSpeed(later, slowAnswer)
    expect(asked).toEqual(['list', 'list', 'slow true'])
  })

  test('that can not be written is told, and hurts nothing', async () => {
    const { endpoints, happenings } = await create(endpointOf())
    const setSlow = async () => {
      throw new Error('no answer')
    }
    const { clock } = createTestClock()
    const reporter = { report: (happening: Happening) => void happenings.push(happening) }
    const directory = createEndpointDirectory({ endpoints: { ...endpoints, setSlow }, clock, reporter })
    await directory.noteSpeed(endpointOf(), slowAnswer)
    expect(happenings).toMatchObject([{ kind: 'fault', endpoint: 'endpoint', reason: 'unexpected' }])
  })
})
