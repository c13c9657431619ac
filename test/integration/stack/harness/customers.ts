import { hkdfSync } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { Webhook } from 'standardwebhooks'
import { close, listen } from '../../../../infra/local/loopback.ts'
import { publicAddress } from './public-address.ts'

/** One POST that arrived and was verified. */
export type Post = { id: string; body: unknown; status: number; authorization: string | null }

/** A customer's endpoint behind the public test address. */
export type Hook = {
  url: string
  posts: readonly Post[]
  /** Ids of all POSTs, sorted; one that came twice stands twice. */
  ids(): string[]
  /** What the next POSTs get: 204 unless told otherwise. */
  answer(status: number, headers?: Readonly<Record<string, string>>): void
}

export type Customers = {
  /** `secret`: what this customer verifies signatures with, a `whsec_…`. */
  hook(name: string, secret: string): Hook
  /** What was wrong with any request: its signature, its method, its path. */
  wrong: readonly string[]
  close(): Promise<void>
}

type Served = Hook & { take(request: IncomingMessage, body: string): { status: number; headers: Headers } }
type Headers = Readonly<Record<string, string>>

/**
 * The key of an endpoint as README.md promises it to customers, written a second time: were the bundle's another one,
 * every customer's verification would fail.
 */
export const derivedSecret = (master: string, endpointId: string, version: number): string => {
  const info = JSON.stringify(['feedback-bridge signing key', endpointId, version])
  const key = hkdfSync('sha256', Buffer.from(master), new Uint8Array(0), info, 32)
  return `whsec_${Buffer.from(key).toString('base64')}`
}

/** One https server with a path for each customer, verifying every signature with the public library. */
export const startCustomers = async (tls: { key: string; cert: string }): Promise<Customers> => {
  const hooks = new Map<string, Served>()
  const wrong: string[] = []
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(Buffer.from(part))
    const hook = hooks.get(`${request.method} ${request.url}`)
    if (hook === undefined) throw new Error(`${request.method} ${request.url} was not to come`)
    const { status, headers } = hook.take(request, Buffer.concat(parts).toString('utf8'))
    response.writeHead(status, headers).end()
  }
  const server = createServer(tls, (request, response) => {
    serve(request, response).catch((error: unknown) => {
      wrong.push(String(error))
      response.writeHead(500).end()
    })
  })
  const { port } = new URL(await listen(server))
  return {
    wrong,
    hook: (name, secret) => {
      const path = `/hooks/${name}`
      const hook = createHook(`https://${publicAddress}:${port}${path}`, secret)
      hooks.set(`POST ${path}`, hook)
      return hook
    },
    close: async () => {
      const closed = close(server)
      server.closeAllConnections()
      await closed
    },
  }
}

const createHook = (url: string, secret: string): Served => {
  const posts: Post[] = []
  const verifier = new Webhook(secret)
  let answer: { status: number; headers: Headers } = { status: 204, headers: {} }
  return {
    url,
    posts,
    ids: () => posts.map(({ id }) => id).sort(),
    answer: (status, headers = {}) => {
      answer = { status, headers }
    },
    take: ({ headers }, text) => {
      const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const
      const signed = Object.fromEntries(names.map(name => [name, String(headers[name] ?? '')]))
      const body: unknown = verifier.verify(text, signed)
      const authorization = headers.authorization ?? null
      posts.push({ id: signed['webhook-id'] ?? '', body, status: answer.status, authorization })
      return answer
    },
  }
}
