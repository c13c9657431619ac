import { randomUUID } from 'node:crypto'
import type { Fault } from './faults.ts'
import { type FunctionUrlResult, toFunctionUrlResult, toSimulatorRequest } from './function-url.ts'
import type { LambdaSettings } from './lambda-settings.ts'
import { findRoute } from './request-handler.ts'
import { createSimulator } from './simulator.ts'

/** What the log tells of a request: nothing that the caller made up. */
export type RequestEntry = {
  message: 'request'
  route: 'bounces' | 'complaints' | 'contacts' | 'nothing'
  status: number
  scheme: string | null
  fault: Fault | null
}

export type HandlerDeps = {
  options: LambdaSettings['options']
  /** Asked at each request: what it keeps, and for how long, is its own matter. */
  readToken: () => Promise<string>
  /** Unix milliseconds. */
  now: () => number
  log: (entry: RequestEntry) => void
}

/**
 * The simulator behind a function URL. What it shows is a function of options and time, so that any number of
 * instances shows the same; what an instance keeps to itself is the windows of the rate limit and the count of
 * requests, by which faults are drawn.
 */
export const createHandler = ({ options, readToken, now, log }: HandlerDeps) => {
  // Until the secret has been read, there is a token that nobody knows.
  const simulator = createSimulator({ ...options, token: randomUUID(), now })

  return async (event: unknown): Promise<FunctionUrlResult> => {
    const request = toSimulatorRequest(event)
    const token = await readToken()
    if (token !== simulator.options.token) simulator.setOption('token', token)
    // The settings refuse every fault of transport, so the answer is whole.
    const { answer } = await simulator.handle(request)
    const { scheme = null, fault = null } = simulator.requests.at(-1) ?? {}
    const route = findRoute(request.path, simulator.options)
    log({
      message: 'request',
      route: route.kind === 'list' ? route.stream : route.kind,
      status: answer.status,
      scheme,
      fault,
    })
    return toFunctionUrlResult(answer)
  }
}
