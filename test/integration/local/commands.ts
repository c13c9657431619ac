import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'

export type RunningCommand = AsyncDisposable & {
  child: ChildProcessByStdio<null, Readable, Readable>
  /** What it has written so far. */
  stdout(): string
  stderr(): string
  /** Resolves when what it has written satisfies the test; rejects when it ends before. */
  until(seen: () => boolean): Promise<void>
  /** Its exit code, or the signal that ended it. */
  ended: Promise<number | NodeJS.Signals | null>
}

/** A script of the project in a process of its own; killed at the end of the test. */
export const startCommand = (
  script: string,
  args: readonly string[],
  options: { cwd?: string; env?: Record<string, string> } = {},
): RunningCommand => {
  const file = fileURLToPath(new URL(`../../../${script}`, import.meta.url))
  const { BRIDGE_API_TOKEN: _, ...env } = process.env
  const child = spawn(process.execPath, [file, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(options.cwd !== undefined && { cwd: options.cwd }),
    env: { ...env, ...options.env },
  })
  const written = { stdout: '', stderr: '' }
  const listeners = new Set<() => void>()
  const listen = (name: 'stdout' | 'stderr'): void => {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      written[name] += text
      for (const listener of listeners) listener()
    })
  }
  listen('stdout')
  listen('stderr')
  const ended = once(child, 'close').then(() => child.exitCode ?? child.signalCode)
  return {
    child,
    stdout: () => written.stdout,
    stderr: () => written.stderr,
    until: seen =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (!seen()) return
          listeners.delete(look)
          resolve()
        }
        listeners.add(look)
        look()
        ended.then(code => reject(new Error(`ended with ${code}: ${written.stderr}`)), reject)
      }),
    ended,
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
      await ended
    },
  }
}
