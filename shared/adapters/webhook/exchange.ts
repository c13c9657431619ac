import type { IncomingHttpHeaders } from 'node:http'
import type { Client, Dispatcher } from 'undici'
import {
  answerKeptBytesMax,
  answerReadBytesMax,
  type SendFailure,
} from '../../domain/delivery/webhook-sender.ts'
import { exchangeFailure, isOurFault } from './attempt-fault.ts'

/** Of an answer's head: status line and headers. */
export const headBytesMax = 16_384

/** Of an answer as it comes over the wire: also what neither head nor body counts (interim answers, chunk framing). */
export const answerRawBytesMax = 131_072

export type HttpRequest = {
  /** Path and query. */
  path: string
  headers: Readonly<Record<string, string>>
  body: Buffer
}

/** What one request over one connection met. */
export type Exchange =
  | {
      kind: 'answered'
      status: number
      headers: IncomingHttpHeaders
      /** The first `answerKeptBytesMax` bytes of the body. */
      kept: Buffer
      /** It was read to its end, so that the connection can be used again. */
      whole: boolean
    }
  | {
      kind: 'failed'
      reason: SendFailure
      /** A socket that had served before failed without a byte of this answer: most likely closed while it idled. */
      stale: boolean
    }

type ExchangeSettings = {
  client: Client
  request: HttpRequest
  signal: AbortSignal
  isResolving: () => boolean
  /** Told once where to count the bytes that come in. */
  onBytesTo: (onBytes: (bytes: number) => void) => void
  /** Called when the request is about to be written to a socket. */
  onStart: () => { reused: boolean }
}

type Head = { status: number; headers: IncomingHttpHeaders }

/**
 * POSTs and collects the answer. It settles at the first of: the answer's end, a bound, a failure, the deadline; the
 * caller then uses the connection again only where the answer was whole. A whole head is an answer even if its body
 * breaks off; only the deadline passing within the body makes it a time-out, so that an endpoint that never ends is
 * noticed as one.
 */
export const runExchange = (settings: ExchangeSettings): Promise<Exchange> =>
  new Promise((resolve, reject) => {
    const { client, request, signal } = settings
    let head: Head | null = null
    let reused = false
    let begun = false
    let rawBytes = 0
    let bodyBytes = 0
    let keptBytes = 0
    const kept: Buffer[] = []

    const settle = (exchange: Exchange) => {
      signal.removeEventListener('abort', onDeadline)
      resolve(exchange)
    }
    const fail = (reason: SendFailure, stale = false) => settle({ kind: 'failed', reason, stale })
    const answer = ({ status, headers }: Head, whole: boolean) =>
      settle({ kind: 'answered', status, headers, kept: Buffer.concat(kept), whole })
    const onDeadline = () => fail(settings.isResolving() ? 'dns_timeout' : 'timeout')

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: () => {
        reused = settings.onStart().reused
        rawBytes = 0
      },
      onResponseStarted: () => {
        begun = true
      },
      onResponseStart: (_controller, status, headers) => {
        // A switch of protocols that nobody asked for; other interim answers are passed over.
        if (status === 101) fail('invalid_response')
        if (status >= 200) head = { status, headers }
      },
      onResponseData: (_controller, chunk) => {
        if (keptBytes < answerKeptBytesMax) {
          // Copied: the chunk is a view of a buffer 64 times as large.
          const part = Buffer.from(chunk.subarray(0, answerKeptBytesMax - keptBytes))
          kept.push(part)
          keptBytes += part.length
        }
        bodyBytes += chunk.length
        if (head !== null && bodyBytes > answerReadBytesMax) answer(head, false)
      },
      onResponseEnd: () => {
        if (head !== null) answer(head, true)
      },
      onResponseError: (_controller, error) => {
        if (head !== null) return answer(head, false)
        if (isOurFault(error)) return reject(error)
        // Told in two ways, the parser's and the socket's: to send again what was taken is worse than not to.
        const byteCame = begun || rawBytes > 0
        const reason = exchangeFailure(error, byteCame)
        fail(reason, reused && !byteCame && reason === 'connection_reset')
      },
    }

    settings.onBytesTo(bytes => {
      rawBytes += bytes
      if (rawBytes <= answerRawBytesMax) return
      if (head === null) fail('invalid_response')
      else answer(head, false)
    })
    signal.addEventListener('abort', onDeadline, { once: true })
    if (signal.aborted) return onDeadline()
    client.dispatch(
      { method: 'POST', path: request.path, headers: request.headers, body: request.body },
      handler,
    )
  })
