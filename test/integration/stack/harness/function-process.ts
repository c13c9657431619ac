import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'
import { required } from './assembly.ts'
import type { FunctionSettings } from './function-settings.ts'
import { arnOf } from './intrinsics.ts'
import type { Invocation } from './runtime-protocol.ts'

const runtimeClient = fileURLToPath(new URL('runtime-client.ts', import.meta.url))
/** Lambda ends an initialization that takes longer (Lambda Developer Guide, "Init phase"). */
const initMsMax = 10_000

const errorSchema = z.object({ kind: z.literal('error'), type: z.string(), message: z.string() })
const readySchema = z.object({
  kind: z.literal('ready'),
  environment: z.record(z.string(), z.string()),
  node: z.string(),
  importMs: z.number(),
})
const resultSchema = z.object({ kind: z.literal('result'), result: z.unknown() })
const fromRuntime = z.discriminatedUnion('kind', [readySchema, resultSchema, errorSchema])
type Said = z.infer<typeof fromRuntime>

export type Failure = { ok: false; type: string; message: string }
export type Outcome = { ok: true; result: unknown } | Failure

/** One instance of a function: a bundle in a process of its own. */
export type FunctionProcess = {
  /** The environment that the process was given, and which Node it is; null where the bundle could not be imported. */
  seen: { environment: Readonly<Record<string, string>>; node: string; importMs: number } | null
  invoke(event: unknown): Promise<Outcome>
  /** Ends it; resolves when all that it said was read. */
  stop(): Promise<void>
  /** All that it wrote to its log. */
  output(): string
}

/** Starts an instance: an empty environment, and what is given. */
export const startFunction = async (
  settings: FunctionSettings,
  environment: Readonly<Record<string, string>>,
): Promise<FunctionProcess> => {
  const child = spawn(process.execPath, [runtimeClient, settings.handler], {
    cwd: settings.assetFolder,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const written: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) {
    required(stream, 'a pipe').on('data', (bytes: Buffer) => written.push(bytes))
  }
  const closed = once(child, 'close')
  const first = await answerOf(child, initMsMax)
  const invoke = async (event: unknown): Promise<Outcome> => {
    if (first.kind === 'error') return failed(first)
    const timeoutMs = settings.timeoutSeconds * 1_000
    const answer = answerOf(child, timeoutMs)
    const invocation: Invocation = {
      event,
      requestId: randomUUID(),
      functionArn: arnOf('lambda', `function:${settings.name}`),
      deadlineMs: Date.now() + timeoutMs,
    }
    child.send(invocation)
    const said = await answer
    return said.kind === 'result' ? { ok: true, result: said.result } : failed(said)
  }
  return {
    seen: first.kind === 'ready' ? first : null,
    invoke,
    stop: async () => {
      child.kill('SIGKILL')
      await closed
    },
    output: () => Buffer.concat(written).toString('utf8'),
  }
}

const failed = (said: Said): Failure =>
  said.kind === 'error'
    ? { ok: false, type: said.type, message: said.message }
    : { ok: false, type: 'HarnessError', message: `unexpected: ${said.kind}` }

/** What the process says next. One that says nothing in time is killed, as Lambda does. */
const answerOf = (child: ChildProcess, withinMs: number): Promise<Said> =>
  new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer)
      child.off('message', onMessage)
      child.off('exit', onExit)
    }
    const onMessage = (message: unknown): void => {
      end()
      const read = fromRuntime.safeParse(message)
      if (read.success) resolve(read.data)
      else reject(read.error)
    }
    const onExit = (code: number | null): void => {
      end()
      resolve({ kind: 'error', type: 'Runtime.ExitError', message: `the process ended: ${code}` })
    }
    const timer = setTimeout(() => {
      end()
      child.kill('SIGKILL')
      resolve({ kind: 'error', type: 'Sandbox.Timedout', message: `timed out after ${withinMs} ms` })
    }, withinMs)
    child.on('message', onMessage)
    child.on('exit', onExit)
  })
