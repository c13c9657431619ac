import * as z from 'zod'
import type { Answer } from './answer.ts'
import type { SimulatorRequest } from './request-handler.ts'

/**
 * What the simulator needs of a function URL's event (payload format 2.0; Lambda Developer Guide, "Invoking Lambda
 * function URLs"): names of headers are in lower case, values of a repeated one are joined by commas.
 */
const eventSchema = z.object({
  version: z.literal('2.0'),
  rawPath: z.string(),
  rawQueryString: z.string(),
  headers: z.record(z.string(), z.string()),
  requestContext: z.object({ domainName: z.string(), http: z.object({ method: z.string() }) }),
})

/** What a function URL makes its response of (same page). */
export type FunctionUrlResult = {
  statusCode: number
  headers: Record<string, string>
  body: string
  isBase64Encoded: boolean
}

/** The request of a function URL's event. Throws where the event is of something else. */
export const toSimulatorRequest = (event: unknown): SimulatorRequest => {
  const { rawPath, rawQueryString, headers, requestContext } = eventSchema.parse(event)
  return {
    method: requestContext.http.method,
    path: rawPath,
    // Not `queryStringParameters`, where the values of a repeated key run together.
    query: rawQueryString,
    headers,
    host: requestContext.domainName,
    scheme: 'https',
  }
}

/**
 * The answer as a function URL takes it. Its body is text: base64 would let less of the 6 MB of a response through.
 * `date` arrives as `x-amzn-remapped-date`, since Lambda states its own.
 */
export const toFunctionUrlResult = ({ status, headers, body }: Answer): FunctionUrlResult => ({
  statusCode: status,
  headers: { ...headers },
  body,
  isBase64Encoded: false,
})
