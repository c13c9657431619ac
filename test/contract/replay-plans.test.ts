import { describe, expect, it } from 'vitest'
import { createReplayPlans } from '../../shared/adapters/dynamodb/replay-plans.ts'
import { createMemoryReplayPlans } from '../../shared/adapters/memory/replay-plans.ts'
import type { ReplayPlan, ReplayPlanStore } from '../../shared/domain/replay/replay-plan.ts'
import { idAt } from './support/samples.ts'
import { useTables } from './support/test-table.ts'

const plan: ReplayPlan = {
  name: 'recover-1',
  startedAtMs: 1_795_132_800_000,
  fromSecond: 1_795_046_400,
  toSecond: 1_795_132_800,
  nextDueMs: 1_795_132_900_000,
  placeId: null,
}

const describeReplayPlans = (name: string, create: () => Promise<ReplayPlanStore>) =>
  describe(`replay plans: ${name}`, () => {
    it('keeps each plan as it was put last, until it is removed', async () => {
      const plans = await create()
      const other = { ...plan, name: 'replay-1' }
      await plans.put(plan)
      await plans.put(other)
      const later = { ...plan, nextDueMs: plan.nextDueMs + 10_000, placeId: idAt(5) }
      await plans.put(later)
      expect([await plans.read('recover-1'), await plans.read('replay-1')]).toEqual([later, other])
      await plans.remove('recover-1')
      await plans.remove('recover-1')
      expect([await plans.read('recover-1'), await plans.read('replay-1')]).toEqual([null, other])
    })
  })

const tables = useTables()
describeReplayPlans('twin in memory', async () => createMemoryReplayPlans())
describeReplayPlans('DynamoDB', async () => createReplayPlans(await tables.fresh()))
