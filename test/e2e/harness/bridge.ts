import { spawn } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Change } from './change.ts'
import { type Kind, type Line, type Poll, parseLine, pollsAmong } from './lines.ts'

const projectFolder = fileURLToPath(new URL('../../..', import.meta.url))
const mainFile = fileURLToPath(new URL('../../../infra/local/main.ts', import.meta.url))

export type Exit = { code: number | null; signal: NodeJS.Signals | null }

/** The bridge as a user runs it: a child process. */
export type Bridge = {
  /** What `--json` has said so far. */
  lines: readonly Line[]
  of(kind: Kind): Line[]
  polls(): Poll[]
  stdout(): string
  stderr(): string
  /** Null while it runs. */
  exit(): Exit | null
  /** Waits for its end; rejects where it takes longer than anything should. */
  ended(patienceMs?: number): Promise<Exit>
  send(signal: NodeJS.Signals): void
  /** `kill -9`; resolves when it is gone. */
  kill(): Promise<void>
  /** Ctrl-C; resolves when it is gone. */
  stop(): Promise<Exit>
}

/** Hundreds of starts of the same code: each is a third quicker with it compiled. Node keys it by content. */
const compileCache = join(tmpdir(), 'bridge-e2e-compile-cache')

/** Lines of what `node infra/local/main.ts …` prints are parsed as they come, where `--json` is among the flags. */
export const startBridge = (of: {
  flags: readonly string[]
  env?: Readonly<Record<string, string>>
  /** Another script than the command's own. */
  script?: string
  cwd?: string
  change: Change
}): Bridge => {
  const { change, flags } = of
  const { BRIDGE_API_TOKEN: _, ...environment } = process.env
  const child = spawn(process.execPath, [of.script ?? mainFile, ...flags], {
    cwd: of.cwd ?? projectFolder,
    env: { ...environment, NODE_COMPILE_CACHE: compileCache, ...of.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = { stdout: '', stderr: '', parsedTo: 0 }
  const lines: Line[] = []
  let exit: Exit | null = null
  let wrong: unknown = null

  const parse = (): void => {
    for (;;) {
      const end = output.stdout.indexOf('\n', output.parsedTo)
      if (end < 0) return
      lines.push(parseLine(output.stdout.slice(output.parsedTo, end)))
      output.parsedTo = end + 1
    }
  }
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output.stdout += chunk
    try {
      if (flags.includes('--json') && wrong === null) parse()
    } catch (error) {
      wrong = error
    }
    change.ring()
  })
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    output.stderr += chunk
    change.ring()
  })
  child.on('close', (code, signal) => {
    exit = { code, signal }
    change.ring()
  })

  const send = (signal: NodeJS.Signals): void => {
    if (exit === null) child.kill(signal)
  }
  const ended = async (patienceMs?: number): Promise<Exit> => {
    await change.until(`the bridge (process ${child.pid}) ends`, () => exit !== null, patienceMs)
    if (wrong !== null) throw wrong
    return exit ?? { code: null, signal: null }
  }
  return {
    lines,
    of: kind => lines.filter(line => line.kind === kind),
    polls: () => pollsAmong(lines),
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    exit: () => exit,
    ended,
    send,
    kill: async () => {
      send('SIGKILL')
      await ended()
    },
    stop: () => {
      send('SIGINT')
      return ended()
    },
  }
}
