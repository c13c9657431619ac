/**
 * Lambda's runtime, as far as a handler sees of it: imports `<asset>/<file>.mjs` with the asset as working folder, and
 * calls its handler with each invocation that comes over IPC. Run as `node runtime-client.ts index.handler`.
 */
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { pathToFileURL } from 'node:url'
import type { FromRuntime, Invocation } from './runtime-protocol.ts'

const send = (message: FromRuntime): void => {
  process.send?.(message)
}
const sendError = (error: unknown): void => {
  const known = error instanceof Error
  send({ kind: 'error', type: known ? error.name : typeof error, message: known ? error.message : '' })
}

const environment = process.env
/** Before the bundle is imported, which may add to its own. */
const given = Object.fromEntries(
  Object.entries(environment).map(([name, value]): [string, string] => [name, value ?? '']),
)

const contextOf = ({ requestId, functionArn, deadlineMs }: Invocation) => ({
  awsRequestId: requestId,
  callbackWaitsForEmptyEventLoop: true,
  functionName: environment['AWS_LAMBDA_FUNCTION_NAME'],
  functionVersion: environment['AWS_LAMBDA_FUNCTION_VERSION'],
  invokedFunctionArn: functionArn,
  memoryLimitInMB: environment['AWS_LAMBDA_FUNCTION_MEMORY_SIZE'],
  logGroupName: environment['AWS_LAMBDA_LOG_GROUP_NAME'],
  logStreamName: environment['AWS_LAMBDA_LOG_STREAM_NAME'],
  getRemainingTimeInMillis: () => Math.max(0, deadlineMs - Date.now()),
})

const isInvocation = (message: unknown): message is Invocation =>
  typeof message === 'object' && message !== null && 'requestId' in message && 'deadlineMs' in message

const [fileName = '', exportName = ''] = (process.argv[2] ?? '').split('.')
const startedAtMs = performance.now()
try {
  const path = pathToFileURL(join(process.cwd(), `${fileName}.mjs`)).href
  const module: object = await import(path)
  const handler: unknown = Reflect.get(module, exportName)
  if (typeof handler !== 'function') throw new Error(`${fileName}.mjs exports no function ${exportName}`)
  process.on('message', async message => {
    if (!isInvocation(message)) return
    try {
      const result: unknown = await Reflect.apply(handler, undefined, [message.event, contextOf(message)])
      send({ kind: 'result', result: result ?? null })
    } catch (error) {
      sendError(error)
    }
  })
  send({
    kind: 'ready',
    environment: given,
    node: process.versions.node,
    importMs: performance.now() - startedAtMs,
  })
} catch (error) {
  sendError(error)
}
