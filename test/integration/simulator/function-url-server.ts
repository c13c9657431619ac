import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import * as z from 'zod'
import { close, listen } from '../../../infra/local/loopback.ts'

/** The host that the function believes to be called at. */
export const urlHost = 'abcdefghijklmnop.lambda-url.eu-west-1.on.aws'

/** Of a buffered response (Lambda Developer Guide, "Lambda quotas"). */
const responseBytesMax = 6 * 1024 * 1024

/** What Lambda takes for a response (Lambda Developer Guide, "Invoking Lambda function URLs"), and nothing else. */
const resultSchema = z.strictObject({
  statusCode: z.int().min(100).max(599),
  headers: z.record(z.string().regex(/^[a-z0-9-]+$/), z.string()),
  body: z.string(),
  cookies: z.array(z.string()).optional(),
  isBase64Encoded: z.boolean(),
})

export type FunctionUrl = AsyncDisposable & {
  baseUrl: string
  /** The events that were made, oldest first. */
  events: ReturnType<typeof toEvent>[]
}

/** A function URL on loopback: makes payload format 2.0 of HTTP, and HTTP of what the handler returns. */
export const startFunctionUrl = async (
  handler: (event: unknown) => Promise<unknown>,
): Promise<FunctionUrl> => {
  const events: FunctionUrl['events'] = []
  const server = createServer((request, response) => {
    const event = toEvent(request)
    events.push(event)
    handler(viaJson(event))
      .then(result => answer(response, result))
      .catch((error: unknown) => {
        // What callers see where a function fails; why, the test that fails on it is told.
        console.error('function URL:', error)
        response.writeHead(502, { 'content-type': 'application/json' }).end('{"Message":null}')
      })
  })
  return { baseUrl: await listen(server), events, [Symbol.asyncDispose]: () => close(server) }
}

/** Events and results pass Lambda as JSON. */
const viaJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

/** Values of a repeated name are joined by commas, of headers and of the query alike (same page). */
const joined = (values: Iterable<readonly [string, readonly string[]]>): Record<string, string> =>
  Object.fromEntries([...values].map(([name, all]) => [name, all.join(',')]))

export const toEvent = (request: IncomingMessage) => {
  const [rawPath = '/', rawQueryString = ''] = (request.url ?? '/').split(/\?(.*)/s)
  const { cookie, connection: _, ...headers } = request.headersDistinct
  const received = Object.entries(headers).map(([name, all]): [string, string[]] => [name, all ?? []])
  const parameters = Map.groupBy(new URLSearchParams(rawQueryString), ([name]) => name)
  const query = [...parameters].map(([name, pairs]): [string, string[]] => [
    name,
    pairs.map(([, value]) => value),
  ])
  const at = new Date()
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath,
    rawQueryString,
    ...(cookie !== undefined && { cookies: cookie.flatMap(text => text.split('; ')) }),
    headers: {
      ...joined(received),
      host: urlHost,
      'x-amzn-tls-version': 'TLSv1.3',
      'x-forwarded-for': '203.0.113.7',
      'x-forwarded-port': '443',
      'x-forwarded-proto': 'https',
    },
    ...(query.length > 0 && { queryStringParameters: joined(query) }),
    requestContext: {
      accountId: 'anonymous',
      apiId: urlHost.split('.')[0],
      domainName: urlHost,
      domainPrefix: urlHost.split('.')[0],
      http: {
        method: request.method,
        path: rawPath,
        protocol: 'HTTP/1.1',
        sourceIp: '203.0.113.7',
        userAgent: request.headers['user-agent'],
      },
      requestId: '6b8c0c5e-2f4f-4d65-9d3c-3b1f0f0e5a51',
      routeKey: '$default',
      stage: '$default',
      time: at.toUTCString(),
      timeEpoch: at.getTime(),
    },
    isBase64Encoded: false,
  }
}

const answer = (response: ServerResponse, returned: unknown): void => {
  const result = resultSchema.parse(viaJson(returned))
  const bytes = Buffer.from(result.body, result.isBase64Encoded ? 'base64' : 'utf8')
  if (JSON.stringify(result).length > responseBytesMax) throw new Error('the response is over 6 MB')
  const { date, ...headers } = result.headers
  response.writeHead(result.statusCode, {
    ...headers,
    // Lambda states its own date, and keeps the function's under another name.
    ...(date !== undefined && { 'x-amzn-remapped-date': date }),
    'content-length': bytes.length,
  })
  response.end(bytes)
}
