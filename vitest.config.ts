import { defineConfig } from 'vitest/config'

// One project a layer of tests: `vitest --project unit` runs one of them.
const layer = (name: string, testTimeout: number) => ({
  test: { name, include: [`test/${name}/**/*.test.ts`], testTimeout, hookTimeout: testTimeout },
})

export default defineConfig({
  test: {
    // Most of an end-to-end test is waiting: two files at once fit two cores.
    maxWorkers: 2,
    projects: [
      layer('unit', 10_000),
      layer('contract', 30_000),
      layer('integration', 60_000),
      layer('e2e', 120_000),
      layer('simulation', 300_000),
    ],
  },
})
