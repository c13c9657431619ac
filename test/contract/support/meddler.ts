import { createServer } from 'node:http'
import { close, listen } from '../../../infra/local/loopback.ts'

export type Answer = { status: number; text: string }
/**
 * What stands between client and emulator: it may pass a request on, change it or its answer, or lose the answer.
 * `operation` is as `PutItem`; `forward` sends the text on and returns the answer.
 */
export type Meddling = (
  operation: string,
  text: string,
  forward: (text: string) => Promise<Answer>,
) => Promise<Answer | 'lost'>

export type Meddler = { endpoint: string; operations: string[]; close(): Promise<void> }

/** A proxy on loopback before an emulator of an AWS JSON protocol. */
export const startMeddler = async (target: string, meddle: Meddling): Promise<Meddler> => {
  const operations: string[] = []
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const operation = String(request.headers['x-amz-target']).split('.').at(-1) ?? ''
    operations.push(operation)
    const headers = Object.fromEntries(
      ['content-type', 'x-amz-target', 'authorization', 'x-amz-date'].map(name => [
        name,
        String(request.headers[name]),
      ]),
    )
    const forward = async (body: string): Promise<Answer> => {
      const answer = await fetch(target, { method: 'POST', headers, body })
      return { status: answer.status, text: await answer.text() }
    }
    const answer = await meddle(operation, Buffer.concat(parts).toString('utf8'), forward)
    if (answer === 'lost') response.destroy()
    else response.writeHead(answer.status, { 'content-type': headers['content-type'] ?? '' }).end(answer.text)
  })
  return { endpoint: await listen(server), operations, close: () => close(server) }
}

/** Loses the first answer to an operation, after the emulator has done what it asks. */
export const loseFirstAnswer = (lost: string): Meddling => {
  let done = false
  return async (operation, text, forward) => {
    const answer = await forward(text)
    if (done || operation !== lost) return answer
    done = true
    return 'lost'
  }
}
