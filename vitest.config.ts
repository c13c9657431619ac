import { defineConfig } from 'vitest/config'

// One project a layer of tests: `vitest --project unit` runs one of them.
const layer = (name: string, testTimeout: number) => ({
  test: { name, include: [`test/${name}/**/*.test.ts`], testTimeout, hookTimeout: testTimeout },
})

export default defineConfig({
  test: {
    projects: [
      layer('unit', 10_000),
      layer('contract', 30_000),
      layer('integration', 60_000),
      layer('e2e', 120_000),
    ],
  },
})
