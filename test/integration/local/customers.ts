import { createServer } from 'node:http'
import { close, listen } from '../../../infra/local/loopback.ts'

export type Post = { path: string; id: string; body: string; headers: Record<string, string> }

export type Customer = AsyncDisposable & { url: string; posts: Post[] }

/** A customer's server on loopback that answers each POST with the status that `answer` says. */
export const startCustomer = async (answer: (post: Post) => number = () => 200): Promise<Customer> => {
  const posts: Post[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const headers = Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
      )
      const body = Buffer.concat(chunks).toString('utf8')
      const post = { path: request.url ?? '', id: headers['webhook-id'] ?? '', body, headers }
      posts.push(post)
      response.writeHead(answer(post)).end()
    })
  })
  const url = await listen(server)
  return { url, posts, [Symbol.asyncDispose]: () => close(server) }
}
