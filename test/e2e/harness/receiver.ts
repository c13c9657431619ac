import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import * as z from 'zod'
import { expectedEndpointId } from './ids.ts'

const addressPart = z.object({
  address: z.string().nullable(),
  normalized: z.string().nullable(),
  domain: z.string().nullable(),
})

/** The customer's own idea of an event, of what the README says (DESIGN.md, section 5). */
const eventSchema = z.object({
  id: z.string(),
  type: z.string(),
  timestamp: z.iso.datetime(),
  data: z.looseObject({
    source: z.object({ id: z.string(), stream: z.enum(['bounces', 'complaints']), record_id: z.string() }),
    recipient: addressPart,
    sender: z.looseObject({ header_from: z.string().nullable() }),
    suggested_action: z.enum(['suppress', 'review', 'suppress_temporarily', 'none']),
    raw: z.record(z.string(), z.unknown()),
  }),
})
export type ReceivedEvent = z.infer<typeof eventSchema>

/** One POST as it arrived. */
export type Post = {
  id: string
  path: string
  body: string
  event: ReceivedEvent
  atMs: number
  /** How many POSTs of the same event came before this one, and this one. */
  nth: number
  /** Null while it is not answered, and where it never is. */
  status: number | null
}

/** What to answer: a status, with headers perhaps; `never` leaves the request hanging. */
export type Answer = number | { status: number; headers: Record<string, string> } | 'never'

export type Receiver = {
  url: string
  /** The id that the bridge gives to this endpoint. */
  id: string
  secret: string
  posts: readonly Post[]
  /** What was wrong with signatures, headers or bodies. */
  wrong: readonly string[]
  /** Ids of all POSTs, sorted; one that came twice stands twice. */
  ids(): string[]
  /** Other requests than POSTs to the endpoint's path. */
  strays: readonly string[]
  setAnswer(answer: (post: Post) => Answer | Promise<Answer>): void
  /** Open now: once a killed bridge has none, all that it sent has arrived. */
  connections(): number
  close(): Promise<void>
}

/** A customer's endpoint, that verifies every signature with both public libraries and remembers all. */
export const startReceiver = async (of: { secret: string; onChange: () => void }): Promise<Receiver> => {
  const posts: Post[] = []
  const wrong: string[] = []
  const strays: string[] = []
  const counts = new Map<string, number>()
  let answer: (post: Post) => Answer | Promise<Answer> = () => 204
  const path = '/hooks/customer?key=k'

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readBody(request)
    if (request.method !== 'POST' || request.url !== path) {
      strays.push(`${request.method} ${request.url}`)
      response.writeHead(404).end()
      return
    }
    wrong.push(...problemsOf(request, body, of.secret))
    const event = eventSchema.parse(JSON.parse(body))
    const id = String(request.headers['webhook-id'])
    if (event.id !== id) wrong.push(`the event says ${event.id}, webhook-id ${id}`)
    const nth = (counts.get(id) ?? 0) + 1
    counts.set(id, nth)
    const post: Post = { id, path, body, event, nth, atMs: Date.now(), status: null }
    posts.push(post)
    of.onChange()
    const given = await answer(post)
    if (given === 'never') return
    post.status = typeof given === 'number' ? given : given.status
    response.writeHead(post.status, typeof given === 'number' ? {} : given.headers)
    response.end('noted')
  }
  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      wrong.push(String(error))
      response.destroy()
    })
  })
  let connections = 0
  server.on('connection', socket => {
    connections += 1
    socket.on('close', () => {
      connections -= 1
      of.onChange()
    })
  })
  const port = await listen(server)
  const url = `http://127.0.0.1:${port}${path}`
  return {
    url,
    id: expectedEndpointId(url),
    secret: of.secret,
    posts,
    wrong,
    strays,
    ids: () => posts.map(({ id }) => id).sort(),
    setAnswer: next => {
      answer = next
    },
    connections: () => connections,
    close: () => closed(server),
  }
}

const problemsOf = (request: IncomingMessage, body: string, secret: string): string[] => {
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const
  const headers = Object.fromEntries(names.map(name => [name, String(request.headers[name] ?? '')]))
  const problems: string[] = []
  const verifiers = [
    ['standardwebhooks', () => new StandardWebhook(secret).verify(body, headers)],
    ['svix', () => new SvixWebhook(secret).verify(body, headers)],
  ] as const
  for (const [name, verify] of verifiers) {
    try {
      verify()
    } catch (error) {
      problems.push(`${name}: ${error instanceof Error ? error.message : 'refused'}`)
    }
  }
  if (request.headers['content-type'] !== 'application/json') problems.push('content-type')
  return problems
}

const readBody = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString('utf8')
}

type Server = ReturnType<typeof createServer>

export const listen = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address: AddressInfo | string | null = server.address()
      if (address === null || typeof address === 'string') reject(new Error('the server has no port'))
      else resolve(address.port)
    })
  })

export const closed = (server: Server): Promise<void> =>
  new Promise(resolve => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
