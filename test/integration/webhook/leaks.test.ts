import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import * as z from 'zod'

const attempts = 1_200
/** Of all attempts together; one that is kept would be a few KiB, so hundreds of them are over it. */
const heapGrowthBytesMax = 3 * 1_048_576
const rssGrowthBytesMax = 64 * 1_048_576

const memorySchema = z.object({
  heapUsed: z.number(),
  external: z.number(),
  arrayBuffers: z.number(),
  rss: z.number(),
})
const figuresSchema = z.object({
  attempts: z.number(),
  wrong: z.record(z.string(), z.number()),
  openAtServers: z.array(z.string()),
  resourcesBefore: z.record(z.string(), z.number()),
  resourcesAfter: z.record(z.string(), z.number()),
  growthBytes: memorySchema,
})

test('after hostile answers of every kind, a thousand and more, nothing is left: no socket, no timer, no memory', async () => {
  const run = fileURLToPath(new URL('./leak-run.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--expose-gc',
    '--max-semi-space-size=4',
    run,
    String(attempts),
  ])
  const figures = figuresSchema.parse(JSON.parse(stdout))
  expect(figures).toMatchObject({ attempts, wrong: {}, openAtServers: [] })
  expect(figures.wrong).toEqual({})
  expect(figures.resourcesAfter).toEqual(figures.resourcesBefore)
  expect(figures.growthBytes.heapUsed).toBeLessThan(heapGrowthBytesMax)
  expect(figures.growthBytes.external).toBeLessThan(heapGrowthBytesMax)
  expect(figures.growthBytes.rss).toBeLessThan(rssGrowthBytesMax)
})
