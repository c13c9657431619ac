import { join } from 'node:path'
import * as z from 'zod'
import { readJsonFile } from './folder-files.ts'

const runningSchema = z.object({
  v: z.literal(1),
  pid: z.int().positive(),
  startedAt: z.iso.datetime(),
  dynamodb: z.object({ endpoint: z.url(), tableName: z.string() }),
  sqs: z.object({ endpoint: z.url() }),
  queueUrls: z.object({ fast: z.url(), slow: z.url(), deadLetters: z.url() }),
})

/** What a running bridge says of itself in its data folder: where the operator's command finds its emulators. */
export type RunningBridgeFile = z.infer<typeof runningSchema>

export const runningPath = (dataDir: string): string => join(dataDir, 'running.json')

/**
 * The bridge that says it runs on this folder, or null. One that was killed leaves its file behind: it counts only while
 * its process lives; whether that is still a bridge, its emulators' addresses tell.
 */
export const readRunning = (dataDir: string): RunningBridgeFile | null => {
  const running = readJsonFile(runningPath(dataDir), runningSchema)
  return running !== null && isAlive(running.pid) ? running : null
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // Somebody else's process is one as well.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
