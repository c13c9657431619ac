import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { Agent, request } from 'undici'
import { close, listen } from '../../../infra/local/loopback.ts'

export type Answer = { status: number; body: unknown }

/** A call of an API of AWS in its JSON form. */
export type Call = {
  /** As `PutItem`. */
  action: string
  body: Readonly<Record<string, unknown>>
  /** Asks the emulator; by default what was called. What is asked besides is not counted. */
  ask(action?: string, body?: Readonly<Record<string, unknown>>): Promise<Answer>
}

/** Answers a call, and counts what it is billed with. */
export type Counter = (call: Call) => Promise<Answer>

/** Well before the emulator closes a connection: on a busy machine it would do so just as one is used again. */
const keptAliveMs = 1_000

/**
 * Stands before an emulator and hands each call to `counter`: every call is seen as it is on the wire, repeats of the
 * SDK included.
 */
export const startCountingProxy = async (of: { upstream: string; counter: Counter }) => {
  const dispatcher = new Agent({ keepAliveTimeout: keptAliveMs, keepAliveMaxTimeout: keptAliveMs })
  const server = createServer(async (asked, response) => {
    const [prefix = '', action = ''] = String(asked.headers['x-amz-target']).split('.')
    const ask: Call['ask'] = async (otherAction, otherBody) => {
      const answer = await request(of.upstream, {
        method: 'POST',
        dispatcher,
        headers: {
          'content-type': String(asked.headers['content-type']),
          authorization: String(asked.headers.authorization),
          'x-amz-date': String(asked.headers['x-amz-date']),
          'x-amz-target': `${prefix}.${otherAction ?? action}`,
        },
        body: JSON.stringify(otherBody ?? body),
      })
      return { status: answer.statusCode, body: await answer.body.json() }
    }
    const body: Record<string, unknown> = JSON.parse(await text(asked))
    try {
      const answer = await of.counter({ action, body, ask })
      response.writeHead(answer.status, { 'content-type': String(asked.headers['content-type']) })
      response.end(JSON.stringify(answer.body))
    } catch (error) {
      // The SDK would try again, and what is wrong with the count would be counted.
      console.error('counting proxy:', error)
      process.exit(1)
    }
  })
  const endpoint = await listen(server)
  return { endpoint, close: () => Promise.all([close(server), dispatcher.close()]) }
}
