import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { entries } from '../../../infra/cli/entries.ts'
import { runCommandLine } from '../../../infra/cli/run-command-line.ts'
import { systemClock } from '../../../shared/adapters/system-clock.ts'
import type { Clock } from '../../../shared/domain/clock.ts'
import { createFakeIo } from '../../unit/cli/fake-io.ts'

export type Ran = { code: number | null; stdout: string; stderr: string }

const mainFile = fileURLToPath(new URL('../../../infra/cli/main.ts', import.meta.url))

/** The operator's command in a process of its own, as a user runs it: no terminal, and what is piped in. */
export const runBridgeCommand = async (
  args: readonly string[],
  of: { stdin?: string; env?: Readonly<Record<string, string>>; cwd?: string } = {},
): Promise<Ran> => {
  const child = spawn(process.execPath, [mainFile, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, ...of.env },
    ...(of.cwd !== undefined && { cwd: of.cwd }),
  })
  const ran = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    ran.stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    ran.stderr += text
  })
  // It may have ended without reading what is piped in.
  child.stdin.on('error', () => {})
  child.stdin.end(of.stdin ?? '')
  await once(child, 'close')
  return { code: child.exitCode, ...ran }
}

/** The command in this process, with a terminal that notes what it is told: a process of its own takes half a second to start. */
export const runBridgeHere = async (
  args: readonly string[],
  { stdin = '', clock = systemClock }: { stdin?: string; clock?: Clock } = {},
): Promise<Ran> => {
  const { io, out, notes } = createFakeIo({ stdin })
  const code = await runCommandLine(args, { entries, io, clock, signal: new AbortController().signal })
  return { code, stdout: out(), stderr: notes() }
}

/** The command on one data folder, in this process. */
export const commandOn =
  (dataDir: string) =>
  (args: string, stdin?: string): Promise<Ran> =>
    runBridgeHere([...args.split(' '), '--data', dataDir], stdin === undefined ? {} : { stdin })

/** The same in a process of its own. */
export const processOn =
  (dataDir: string) =>
  (args: string, stdin?: string): Promise<Ran> =>
    runBridgeCommand([...args.split(' '), '--data', dataDir], stdin === undefined ? {} : { stdin })

/** What `--json` wrote; throws with what went wrong where it wrote none. */
export const jsonOf = (ran: Ran) => {
  if (ran.stdout === '') throw new Error(`no answer: ${ran.stderr}`)
  return JSON.parse(ran.stdout)
}
