import type { ReplayPlan, ReplayPlanStore } from '../../domain/replay/replay-plan.ts'

/** Plans in memory. */
export const createMemoryReplayPlans = (): ReplayPlanStore => {
  const plans = new Map<string, ReplayPlan>()
  return {
    read: async name => structuredClone(plans.get(name) ?? null),
    put: async plan => {
      plans.set(plan.name, structuredClone(plan))
    },
    remove: async name => {
      plans.delete(name)
    },
  }
}
