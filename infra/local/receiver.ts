import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Webhook } from 'standardwebhooks'
import * as z from 'zod'
import { close, listen } from './loopback.ts'

/** Larger than any event. */
const bodyBytesMax = 1024 * 1024
/** Events of which the recipient's domain, or a refusal, is remembered. */
const rememberedMax = 1_000
/** Of the events that come to the shaky path, one in so many is refused the first time. */
export const refusedOneIn = 5

export const steadyPath = '/webhooks'
export const shakyPath = '/shaky'

const eventSchema = z.object({ data: z.object({ recipient: z.object({ domain: z.string().nullable() }) }) })

export type Receiver = {
  url: string
  /** Signatures that were right, and wrong ones. */
  verified(): number
  wrong(): number
  /** The domain that an event's recipient is at, if it is known still. */
  domainOf(eventId: string): string | null
  close(): Promise<void>
}

/**
 * The demo's customer: verifies every signature as a customer would, with a public library and the secret of the path.
 * Its shaky path answers 503 to some events when they come first, so that retries are seen.
 */
export const startReceiver = async (secrets: Readonly<Record<string, string>>): Promise<Receiver> => {
  const verifiers = new Map(Object.entries(secrets).map(([path, secret]) => [path, new Webhook(secret)]))
  const domains = new Map<string, string | null>()
  const refused = new Set<string>()
  const count = { verified: 0, wrong: 0, events: 0 }

  const verify = (path: string, body: string, headers: Record<string, string>): unknown => {
    try {
      const payload: unknown = verifiers.get(path)?.verify(body, headers)
      count.verified += 1
      return payload
    } catch {
      count.wrong += 1
      return null
    }
  }
  const refuses = (path: string, id: string): boolean => {
    if (path !== shakyPath || refused.delete(id)) return false
    count.events += 1
    if (count.events % refusedOneIn !== 0) return false
    remember(refused, id)
    return true
  }
  const answer = async (request: IncomingMessage): Promise<number> => {
    const path = request.url ?? ''
    if (!verifiers.has(path)) return 404
    const headers = signatureHeadersOf(request)
    const event = eventSchema.safeParse(verify(path, await readBody(request), headers)).data
    if (event === undefined) return 400
    const id = headers['webhook-id'] ?? ''
    if (domains.size >= rememberedMax) domains.delete(domains.keys().next().value ?? '')
    domains.set(id, event.data.recipient.domain)
    return refuses(path, id) ? 503 : 204
  }
  const server = createServer((request, response) => {
    answer(request).then(
      status => end(response, status),
      () => end(response, 413),
    )
  })
  const url = await listen(server)
  return {
    url,
    verified: () => count.verified,
    wrong: () => count.wrong,
    domainOf: id => domains.get(id) ?? null,
    close: () => close(server),
  }
}

const remember = (ids: Set<string>, id: string): void => {
  if (ids.size >= rememberedMax) ids.delete(ids.keys().next().value ?? '')
  ids.add(id)
}

const end = (response: ServerResponse, status: number): void => {
  response.writeHead(status).end()
}

const signatureHeadersOf = (request: IncomingMessage): Record<string, string> => {
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature']
  return Object.fromEntries(names.map(name => [name, String(request.headers[name] ?? '')]))
}

const readBody = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request) {
    const buffer = Buffer.from(chunk)
    bytes += buffer.length
    if (bytes > bodyBytesMax) throw new Error('the body is too large')
    chunks.push(buffer)
  }
  return Buffer.concat(chunks).toString('utf8')
}
