import { createServer, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import * as z from 'zod'
import { listen } from '../../../infra/local/loopback.ts'

const eventSchema = z.object({ data: z.object({ source: z.object({ record_id: z.string() }) }) })
const signatureHeaders = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const

export type VerifyingReceiver = {
  url: string
  /** When each record's event first arrived with a right signature, by the record's id: Unix milliseconds. */
  arrivedAtMs: ReadonlyMap<string, number>
  /** All POSTs with a right signature. */
  posts(): number
  lastAtMs(): number
}

/** A customer who verifies every signature with a public library, and takes `answerAfterMs` for his answer. */
export const startVerifyingReceiver = async (of: {
  secret: string
  answerAfterMs: number
}): Promise<VerifyingReceiver> => {
  const webhook = new Webhook(of.secret)
  const arrivedAtMs = new Map<string, number>()
  let posts = 0
  let lastAtMs = 0

  const take = async (request: IncomingMessage): Promise<void> => {
    const body = await text(request)
    const names = signatureHeaders.map(name => [name, String(request.headers[name])])
    const event = eventSchema.parse(webhook.verify(body, Object.fromEntries(names)))
    const id = event.data.source.record_id
    lastAtMs = Date.now()
    if (!arrivedAtMs.has(id)) arrivedAtMs.set(id, lastAtMs)
    posts += 1
  }
  const server = createServer((request, response) => {
    take(request)
      .then(() => (of.answerAfterMs > 0 ? wait(of.answerAfterMs) : undefined))
      .then(
        () => response.writeHead(204).end(),
        () => response.writeHead(400).end(),
      )
  })
  return { url: await listen(server), arrivedAtMs, posts: () => posts, lastAtMs: () => lastAtMs }
}
