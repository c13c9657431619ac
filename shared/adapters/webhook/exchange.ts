import type { IncomingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import type { Client, Dispatcher } from 'undici'
import {
  answerKeptBytesMax,
  answerReadBytesMax,
  type SendFailure,
} from '../../domain/delivery/webhook-sender.ts'
import { exchangeFailure, isOurFault } from './attempt-fault.ts'
import type { ConnectPhase } from './connector.ts'
import { createOpening } from './opening.ts'

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
  phase: () => ConnectPhase | 'answer'
  /** Told once who looks at what comes in once the request has gone out, before undici does. */
  onReadableTo: (onReadable: (socket: Socket) => void) => void
  /** Called when the request is about to be written to a socket. */
  onStart: () => { reused: boolean }
}

type Head = { status: number; headers: IncomingHttpHeaders }

const timeoutsByPhase = {
  dns: 'dns_timeout',
  connect: 'connect_timeout',
  tls: 'tls_timeout',
  answer: 'timeout',
} as const satisfies Record<ConnectPhase | 'answer', SendFailure>

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
    let rawBytes = 0
    let opening: ReturnType<typeof createOpening> | null = null
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
    const onDeadline = () => {
      if (head !== null) fail('body_timeout')
      else fail(rawBytes > 0 ? 'head_timeout' : timeoutsByPhase[settings.phase()])
    }
    /** Until the answer begins, undici sees nothing of what comes. */
    const readOpening = (socket: Socket) => {
      if (opening === null) return
      const chunk: unknown = socket.read()
      if (!Buffer.isBuffer(chunk)) return
      const read = opening(chunk)
      if (read.kind === 'wrong') return fail(read.reason)
      if (read.kind === 'more') return
      opening = null
      socket.unshift(read.bytes)
    }

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: () => {
        reused = settings.onStart().reused
        rawBytes = 0
        opening = createOpening()
      },
      onResponseStart: (_controller, status, headers) => {
        // llhttp takes any three digits; what is below 200 and was not passed over is no status.
        if (status < 200) fail('invalid_response')
        else head = { status, headers }
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
        const begun = rawBytes > 0
        const reason = exchangeFailure(error, begun)
        fail(reason, reused && !begun && reason === 'connection_reset')
      },
    }

    settings.onReadableTo(socket => {
      rawBytes += socket.readableLength
      if (rawBytes <= answerRawBytesMax) return readOpening(socket)
      if (head === null) fail('headers_too_large')
      else answer(head, false)
    })
    signal.addEventListener('abort', onDeadline, { once: true })
    if (signal.aborted) return onDeadline()
    client.dispatch(
      { method: 'POST', path: request.path, headers: request.headers, body: request.body },
      handler,
    )
  })
