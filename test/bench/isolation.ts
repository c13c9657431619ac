import type { Bench } from './bench.ts'
import { localTable } from './isolation/local-figures.ts'
import { modelTable } from './isolation/model-figures.ts'

/** Two that misbehave among them. */
const few = 10
const many = 1_000

/**
 * What two endpoints that misbehave, one that never answers and one that takes 10 s, do to the event age at the others:
 * beside the same run without them. README.md says what is modelled, and what the columns are.
 */
export const isolationBench: Bench = {
  name: 'isolation',
  about: 'event age (s) at good endpoints, with and without one that never answers and one that takes 10 s',
  run: async () => ({
    'model, 10 endpoints, 10 batches at once': await modelTable({ endpoints: few, fastConcurrency: 10 }),
    'model, 10 endpoints, 20 batches at once': await modelTable({ endpoints: few, fastConcurrency: 20 }, []),
    'model, 10 endpoints, 50 batches at once': await modelTable({ endpoints: few, fastConcurrency: 50 }),
    'model, 1,000 endpoints, 10 batches at once': await modelTable({ endpoints: many, fastConcurrency: 10 }),
    'model, 1,000 endpoints, 20 batches at once': await modelTable(
      { endpoints: many, fastConcurrency: 20 },
      [],
    ),
    'model, 1,000 endpoints, 50 batches at once': await modelTable({ endpoints: many, fastConcurrency: 50 }),
    'local bridge, 10 endpoints': await localTable(few),
  }),
}
