import { type ChildProcess, fork, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import * as z from 'zod'
import packageJson from '../../package.json' with { type: 'json' }

const root = join(import.meta.dirname, '..', '..')

/** A child that answers each message with one; ends with this process. `nodeFlags` are for Node itself. */
export const forkChild = (
  file: string,
  args: readonly string[],
  { nodeFlags = [] }: { nodeFlags?: readonly string[] } = {},
) => {
  const child = fork(join(import.meta.dirname, file), args, {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    ...(nodeFlags.length > 0 && { execArgv: [...nodeFlags] }),
  })
  const answer = <T>(schema: z.ZodType<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      const onExit = (code: number | null) => reject(new Error(`${file} ended with ${code}`))
      child.once('exit', onExit)
      child.once('message', message => {
        child.off('exit', onExit)
        resolve(schema.parse(message))
      })
    })
  const exited = new Promise<void>(resolve => {
    child.once('exit', () => resolve())
  })
  return {
    pid: pidOf(child),
    exited,
    first: answer,
    ask: <T>(schema: z.ZodType<T>): Promise<T> => {
      const answered = answer(schema)
      child.send('?')
      return answered
    },
    end: () => child.disconnect(),
  }
}

const pidOf = (child: ChildProcess): number => {
  if (child.pid === undefined) throw new Error('a child process did not start')
  return child.pid
}

const lineSchema = z.looseObject({ at: z.string(), kind: z.string() })
export type Line = z.infer<typeof lineSchema>

/** What `npm start` tells Node itself, between its name and the script's. */
export const startFlags: readonly string[] = packageJson.scripts.start.split(' ').slice(1, -1)

/** The bridge as a user starts it, with `--json`; `onLine` sees each line. */
export const startBridge = (flags: readonly string[], onLine: (line: Line) => void) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'bridge-bench-'))
  const args = [...startFlags, 'infra/local/main.ts', '--data', dataDir, '--json', ...flags]
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  let complaints = ''
  child.stderr.on('data', chunk => {
    complaints = (complaints + String(chunk)).slice(-4_000)
  })
  createInterface({ input: child.stdout }).on('line', line => onLine(lineSchema.parse(JSON.parse(line))))
  const exited = new Promise<number | null>(resolve => {
    child.once('close', code => resolve(code))
  })
  return {
    pid: pidOf(child),
    exited,
    complaints: () => complaints,
    stop: async () => {
      child.kill('SIGINT')
      await exited
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
