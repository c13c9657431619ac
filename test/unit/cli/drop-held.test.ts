import { describe, expect, test } from 'vitest'
import { createMemoryDeliveryStore } from '../../../shared/adapters/memory/delivery-store.ts'
import { dropHeld } from '../../../shared/domain/release/drop-held.ts'
import { idAt, sampleDelivery } from '../../contract/support/samples.ts'

const nowMs = 1_800_000_000_000

const world = async (count: number) => {
  const store = createMemoryDeliveryStore()
  const ids = Array.from({ length: count }, (_, at) => idAt(at))
  for (const eventId of ids) {
    const delivery = sampleDelivery({ eventId, state: 'held', retryAtMs: null, dueMs: nowMs, reason: 'held' })
    await store.write(delivery, { kind: 'unsettled_before', rank: 9_999_999 })
  }
  let writes = 0
  const newId = () => {
    writes += 1
    return `drop-${writes}`
  }
  const clock = { now: () => nowMs, sleep: async () => undefined }
  const states = async () => {
    const found = await Promise.all(ids.map(eventId => store.read({ endpointId: 'shop', eventId })))
    return found.map(delivery => delivery?.state)
  }
  return { store, ids, states, deps: { store, clock, newId } }
}
const run = (signal = new AbortController().signal, onProgress = (_: number): void => undefined) => ({
  endpointId: 'shop',
  signal,
  onProgress,
})

describe('dropping what is held', () => {
  test('cancels all of it, with the reason and out of the index, and says how many', async () => {
    const { store, ids, states, deps } = await world(250)
    const progress: number[] = []
    expect(
      await dropHeld(
        run(undefined, dropped => progress.push(dropped)),
        deps,
      ),
    ).toEqual({
      dropped: 250,
      complete: true,
    })
    expect(new Set(await states())).toEqual(new Set(['cancelled']))
    expect(progress).toEqual([100, 200, 250])
    expect(await store.read({ endpointId: 'shop', eventId: ids[0] ?? '' })).toMatchObject({
      reason: 'dropped_by_operator',
      retryAtMs: null,
      dueMs: null,
      position: { round: 1, attempt: 1 },
      updatedAtMs: nowMs,
    })
  })

  test('leaves what moved on meanwhile, and comes to an end all the same', async () => {
    const { store, ids, states, deps } = await world(3)
    const [moved = ''] = ids
    const meddling = {
      ...store,
      write: async (...args: Parameters<typeof store.write>) => {
        const [delivery] = args
        if (delivery.eventId === moved) {
          await store.write(
            { ...delivery, state: 'held', dueMs: nowMs, writeId: 'another' },
            { kind: 'unsettled_before', rank: 9_999_999 },
          )
        }
        return store.write(...args)
      },
    }
    expect(await dropHeld(run(), { ...deps, store: meddling })).toEqual({ dropped: 2, complete: true })
    expect(await states()).toEqual(['held', 'cancelled', 'cancelled'])
  })

  test('ends between two pages when it is interrupted; the same call goes on', async () => {
    const { deps, states } = await world(150)
    const stop = new AbortController()
    const first = await dropHeld(
      run(stop.signal, () => stop.abort()),
      deps,
    )
    expect(first).toEqual({ dropped: 100, complete: false })
    expect((await states()).filter(state => state === 'held')).toHaveLength(50)
    expect(await dropHeld(run(), deps)).toEqual({ dropped: 50, complete: true })
  })
})
