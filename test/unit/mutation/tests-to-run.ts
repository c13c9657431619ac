import { globSync } from 'node:fs'
import { basename, dirname } from 'node:path'

/** Too slow for so many runs, or about what is not the domain: see MUTATIONS.md. */
const leftOut = [
  'test/unit/{bench,docs,functions,layout,local,simulator,storage,telemetry,webhook}/**',
  'test/unit/hostile/{client,command-lines,configuration,declared-files,items,markers,messages,pages,poller}.test.ts',
  'test/unit/{delivery/interleavings,forget/interleavings,polling/random-worlds}.test.ts',
]
/** Most of the time of all; they say little of what is not the poller's. */
const pollingTests = 'test/unit/polling/**'

/** The files of tests that a run with these mutated files takes. */
export const testFilesFor = (mutated: readonly string[] | undefined): string[] => {
  const isPolling = mutated === undefined || mutated.some(file => file.includes('/polling/'))
  const exclude = isPolling ? leftOut : [...leftOut, pollingTests]
  return globSync('test/unit/**/*.test.ts', { exclude }).toSorted()
}

/** Of a test's id. */
export const fileOf = (id: string): string => id.slice(0, id.indexOf('#'))

/** Those that are about the mutated file first, then those of its folder; of these the quickest. */
export const ordered = (
  ids: readonly string[],
  mutated: string,
  workMs: ReadonlyMap<string, number>,
): string[] => {
  const folder = `test/unit/${basename(dirname(mutated))}/`
  const named = `${folder}${basename(mutated, '.ts')}.test.ts`
  const distance = (id: string): number => (fileOf(id) === named ? 0 : id.startsWith(folder) ? 1 : 2)
  const workOf = (id: string): number => workMs.get(id) ?? 0
  return ids.toSorted((one, other) => distance(one) - distance(other) || workOf(one) - workOf(other))
}
