import { createServer } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import * as z from 'zod'
import { close, listen } from '../../../infra/local/loopback.ts'

const answerSchema = z.looseObject({
  id: z.int(),
  result: z.looseObject({ result: z.looseObject({ value: z.string().optional() }).optional() }).optional(),
  error: z.looseObject({ message: z.string() }).optional(),
})
type Answer = z.infer<typeof answerSchema>

const stateSchema = z.object({
  memory: z.object({ heapUsed: z.number(), external: z.number(), rss: z.number() }),
  resources: z.array(z.string()),
})
/** What a process says of itself, right after its garbage was collected. */
export type ProcessState = z.infer<typeof stateSchema>

const stateExpression =
  'JSON.stringify({ memory: process.memoryUsage(), resources: process.getActiveResourcesInfo() })'

const targetsSchema = z.array(z.looseObject({ webSocketDebuggerUrl: z.string() })).min(1)
const openWithinMs = 20_000
const askAgainMs = 100

/** What Node is started with so that it can be asked, on a port that is free right now; it prints nothing of it. */
export const inspectorFlags = async (): Promise<{ port: number; flags: readonly string[] }> => {
  const server = createServer()
  const port = Number(new URL(await listen(server)).port)
  await close(server)
  return { port, flags: [`--inspect=127.0.0.1:${port}`, '--inspect-publish-uid=http'] }
}

const urlAt = async (port: number): Promise<string> => {
  const untilMs = Date.now() + openWithinMs
  for (;;) {
    const targets = await fetch(`http://127.0.0.1:${port}/json/list`)
      .then(answer => answer.json())
      .catch(() => null)
    const [target] = targetsSchema.safeParse(targets).data ?? []
    if (target !== undefined) return target.webSocketDebuggerUrl
    if (Date.now() > untilMs) throw new Error(`no process opened its inspector on port ${port}`)
    await wait(askAgainMs)
  }
}

/**
 * Asks a process by its inspector. Nothing of it is switched on (no `enable`): what an inspector records of a process would
 * grow with it.
 */
export const attachInspector = async (port: number) => {
  const url = await urlAt(port)
  const socket = new WebSocket(url)
  const waiting = new Map<number, (answer: Answer | null) => void>()
  socket.addEventListener('message', ({ data }) => {
    const answer = answerSchema.safeParse(JSON.parse(String(data)))
    if (!answer.success) return
    waiting.get(answer.data.id)?.(answer.data)
    waiting.delete(answer.data.id)
  })
  socket.addEventListener('close', () => {
    for (const tell of waiting.values()) tell(null)
  })
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true })
    socket.addEventListener('error', () => reject(new Error(`no inspector at ${url}`)), { once: true })
  })
  let lastId = 0
  const call = async (method: string, params: Record<string, unknown>): Promise<Answer> => {
    lastId += 1
    const id = lastId
    const answered = new Promise<Answer | null>(resolve => waiting.set(id, resolve))
    socket.send(JSON.stringify({ id, method, params }))
    const answer = await answered
    if (answer === null) throw new Error('the process that is inspected has ended')
    if (answer.error !== undefined) throw new Error(`${method}: ${answer.error.message}`)
    return answer
  }
  return {
    /** Collects the garbage, twice: what finalizers of the first time let go goes with the second. */
    stateAfterCollection: async (): Promise<ProcessState> => {
      await call('HeapProfiler.collectGarbage', {})
      await call('HeapProfiler.collectGarbage', {})
      const { result } = await call('Runtime.evaluate', { expression: stateExpression, returnByValue: true })
      return stateSchema.parse(JSON.parse(result?.result?.value ?? 'null'))
    },
    close: (): void => socket.close(),
  }
}
