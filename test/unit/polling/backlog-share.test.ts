import { expect, it } from 'vitest'
import { budgetOf } from '../../../shared/domain/polling/budget.ts'
import { createWorld } from './world/world.ts'

const pageSize = 10
const backlog = 9_000
const minutes = 18

it('regression: a backlog gets all but three requests of each minute, while the other list is at its end', async () => {
  const world = createWorld({ readings: { pageSize, latencyMsMax: 300 } })
  // So far apart that the overlap is one page.
  const records = (count: number) =>
    Array.from({ length: count }, (_, nth) => ({ uuid: `r${10_000 + nth}`, at: (nth - count) * 60 }))
  world.put('bounces', ...records(backlog))
  world.put('complaints', ...records(600))
  await world.pass(minutes * 60)
  await world.stop()

  const fromMs = world.service.requests[0]?.atMs ?? 0
  const pagesOfMinute = Array.from(
    { length: minutes },
    (_, minute) =>
      world.service.requests.filter(
        ({ count, atMs }) => count === pageSize && Math.floor((atMs - fromMs) / 60_000) === minute,
      ).length,
  )
  const budget = budgetOf(world.source.requestsPerMinute)
  // A poll, the overlap, and once a page of a sweep: all of them of the list at its end.
  expect(pagesOfMinute.filter(pages => pages < budget - 3)).toEqual([])
  const pages = pagesOfMinute.reduce((sum, count) => sum + count, 0)
  expect(pages / (minutes * budget)).toBeGreaterThan(0.95)
  // All of it is still a backlog: none of these minutes had less to read.
  expect(world.logged('bounces').length).toBeLessThan(backlog)
})
