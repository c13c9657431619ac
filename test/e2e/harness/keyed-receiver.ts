import { createServer, type IncomingHttpHeaders } from 'node:http'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { closed, listen } from './receiver.ts'

export type KeyedPost = {
  id: string
  headers: Readonly<Record<string, string>>
  body: string
  atMs: number
  status: number
}

/** A customer's endpoint that keeps all it is sent, and answers by the headers. */
export type KeyedReceiver = {
  url: string
  posts: readonly KeyedPost[]
  setAnswer(answer: (headers: IncomingHttpHeaders) => number): void
}

export const startKeyedReceiver = async (of: {
  onChange: () => void
  defer: (end: () => Promise<void>) => void
}): Promise<KeyedReceiver> => {
  const posts: KeyedPost[] = []
  let answer: (headers: IncomingHttpHeaders) => number = () => 204
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const headers = Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
      )
      const body = Buffer.concat(chunks).toString('utf8')
      const status = answer(request.headers)
      posts.push({ id: headers['webhook-id'] ?? '', headers, body, atMs: Date.now(), status })
      // As some servers do: it repeats what it was asked with.
      response.writeHead(status).end(status === 204 ? '' : JSON.stringify(headers))
      of.onChange()
    })
  })
  const port = await listen(server)
  of.defer(() => closed(server))
  return {
    url: `http://127.0.0.1:${port}/keyed`,
    posts,
    setAnswer: next => {
      answer = next
    },
  }
}

/** Whether both public libraries take a POST with this secret; throws where they do not agree. */
export const isTaken = ({ body, headers }: Pick<KeyedPost, 'body' | 'headers'>, secret: string): boolean => {
  const verdicts = [new StandardWebhook(secret), new SvixWebhook(secret)].map(library => {
    try {
      library.verify(body, headers)
      return true
    } catch {
      return false
    }
  })
  const [one, other] = verdicts
  if (one !== other) throw new Error(`standardwebhooks says ${one}, svix ${other}`)
  return one === true
}
