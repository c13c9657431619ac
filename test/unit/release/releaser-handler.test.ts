import { expect, test } from 'vitest'
import { createHandler } from '../../../functions/releaser/handler.ts'
import { hourMs } from '../../../shared/domain/time-units.ts'
import { nowMs } from '../delivery/harness.ts'
import { createHarness, eventOf } from './harness.ts'

const create = async () => {
  const harness = await createHarness()
  let asked = 0
  const sources = {
    ...harness.sources,
    list: () => {
      asked += 1
      return harness.sources.list()
    },
  }
  return { ...harness, deps: { ...harness.deps, sources }, reconciles: () => asked }
}

test('every run releases, and one an hour reconciles', async () => {
  const harness = await create()
  const handler = createHandler(harness.deps)
  await harness.given('one', { dueMs: nowMs - 1 })
  expect(await handler({ source: 'aws.scheduler' })).toEqual({ released: 1, reconciled: 0, complete: true })
  await harness.turn(hourMs - 1)
  await handler({})
  expect(harness.reconciles()).toBe(1)
  await harness.turn(1)
  await handler(undefined)
  expect(harness.reconciles()).toBe(2)
})

test('a start sends again what waited in the queues, and what never got its delivery', async () => {
  const harness = await create()
  const handler = createHandler(harness.deps)
  await handler({})
  await harness.given('waited', { retryAtMs: nowMs + 60_000, dueMs: nowMs + 960_000 })
  const lost = eventOf('lost', { loggedAtMs: nowMs })
  await harness.log.record([lost])
  const hour = Math.floor(nowMs / hourMs)
  await harness.marks.lower({
    sourceId: 'main',
    stream: 'bounces',
    hour,
    day: '2026-11-20',
    lowestId: lost.id,
  })
  expect(await handler({})).toMatchObject({ released: 0, reconciled: 0 })
  expect(await handler({ start: true })).toMatchObject({ released: 1, complete: true })
  expect(harness.sentIds()).toContain(lost.id)
})

test('a reconcile that could not end is taken up by the next run', async () => {
  const harness = await create()
  const lost = eventOf('lost', { loggedAtMs: nowMs - 3 * hourMs })
  await harness.log.record([lost])
  const hour = Math.floor(nowMs / hourMs) - 3
  await harness.marks.lower({
    sourceId: 'main',
    stream: 'bounces',
    hour,
    day: '2026-11-20',
    lowestId: 'evt_',
  })
  let fails = true
  const queue = {
    send: async (entries: Parameters<typeof harness.deps.queue.send>[0]) =>
      fails
        ? entries.map(() => ({ kind: 'failed', reason: 'throttled' }) as const)
        : harness.deps.queue.send(entries),
  }
  const handler = createHandler({ ...harness.deps, queue })
  expect(await handler({})).toEqual({ released: 0, reconciled: 0, complete: false })
  fails = false
  expect(await handler({})).toEqual({ released: 0, reconciled: 1, complete: true })
})

test('a reconcile that throws does not keep what is due from being released', async () => {
  const harness = await create()
  await harness.given('one', { dueMs: nowMs - 1 })
  const list = async () => {
    throw new Error('no answer')
  }
  const handler = createHandler({ ...harness.deps, sources: { ...harness.sources, list } })
  await expect(handler({})).rejects.toThrow('no answer')
  expect(harness.sent).toHaveLength(1)
})
