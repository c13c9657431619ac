import type { Dispatcher } from 'undici'
import { type AnswerHeaders, answerFacts, first } from './answer-facts.ts'
import { PageTooLarge, Unreachable } from './errors.ts'
import { unreachableReason } from './unreachable-reason.ts'

/** Of an error's body no more than this is read. */
const errorBytesMax = 65_536

export type Answer = {
  status: number
  headers: AnswerHeaders
  /** When its headers came: Unix milliseconds. */
  atMs: number
  bytes: number
  /** The body decoded as UTF-8; what is none becomes U+FFFD. */
  text(): string
}

export type Get = {
  url: URL
  headers: Readonly<Record<string, string>>
  /** Method, origin and path, for people: without the query. */
  where: string
  dispatcher: Dispatcher
  /** For everything from DNS to the last byte. */
  timeoutMs: number
  bytesMax: number
  now: () => number
  signal: AbortSignal | undefined
}

/** One GET, of any status; redirects are not followed. Throws `Unreachable` or `PageTooLarge`. */
export async function get(call: Get): Promise<Answer> {
  if (isAborted(call)) throw abortedError(call)
  const ended = new AbortController()
  const onCallerAbort = () => ended.abort()
  const timer = setTimeout(() => ended.abort(), call.timeoutMs)
  call.signal?.addEventListener('abort', onCallerAbort, { once: true })
  try {
    return await exchange(call, ended.signal)
  } finally {
    clearTimeout(timer)
    call.signal?.removeEventListener('abort', onCallerAbort)
  }
}

async function exchange(call: Get, ended: AbortSignal): Promise<Answer> {
  const { origin, pathname, search } = call.url
  const options = {
    ...{ origin, path: `${pathname}${search}`, method: 'GET', headers: call.headers, signal: ended },
    // One deadline, ours: undici's own would only cut it into parts.
    headersTimeout: 0,
    bodyTimeout: 0,
  } as const
  const response = await call.dispatcher.request(options).catch(error => {
    throw failureOf(error, call, ended, null)
  })
  const { statusCode: status, headers, body } = response
  const atMs = call.now()
  // Leaving the body early destroys it, which it reports as an error that nobody waits for.
  body.on('error', () => {})
  const whole = status >= 200 && status < 300
  const bytesMax = whole ? call.bytesMax : errorBytesMax
  const chunks: Uint8Array[] = []
  let bytes = 0
  try {
    if (whole && declaredBytes(headers) > bytesMax) throw tooLarge(call, status, headers, atMs)
    for await (const chunk of body) {
      bytes += chunk.length
      if (whole && bytes > bytesMax) throw tooLarge(call, status, headers, atMs)
      chunks.push(chunk)
      if (bytes >= bytesMax && !whole) break
    }
  } catch (error) {
    body.destroy()
    if (error instanceof PageTooLarge) throw error
    // A refusal's status counts, even where its body breaks off.
    if (whole || isAborted(call))
      throw failureOf(error, call, ended, { status, facts: answerFacts(headers, atMs) })
  }
  return { status, headers, atMs, bytes, text: () => new TextDecoder().decode(Buffer.concat(chunks)) }
}

function declaredBytes(headers: AnswerHeaders): number {
  const length = first(headers, 'content-length')
  return length === null ? 0 : Number(length)
}

function tooLarge(call: Get, status: number, headers: AnswerHeaders, atMs: number): PageTooLarge {
  return new PageTooLarge({
    where: call.where,
    bytesMax: call.bytesMax,
    status,
    facts: answerFacts(headers, atMs),
  })
}

function isAborted(call: Get): boolean {
  return call.signal?.aborted === true
}

function abortedError({ where }: Get): Unreachable {
  return new Unreachable({ where, reason: 'aborted', detail: 'the caller ended the request', status: null })
}

/** Never keeps the error itself as cause: a parser's error holds bytes of the answer, and so perhaps an address. */
function failureOf(
  error: unknown,
  call: Get,
  ended: AbortSignal,
  answered: { status: number; facts: ReturnType<typeof answerFacts> } | null,
): unknown {
  if (isAborted(call)) return abortedError(call)
  const base = { where: call.where, status: null, ...answered }
  if (ended.aborted)
    return new Unreachable({
      ...base,
      reason: 'timeout',
      detail: `no whole answer within ${call.timeoutMs} ms`,
    })
  const known = unreachableReason(error)
  return known === null ? error : new Unreachable({ ...base, ...known })
}
