import packageJson from '../../../package.json' with { type: 'json' }
import { BridgeError } from '../../domain/bridge-error.ts'
import {
  isTimeout,
  type SendResult,
  type WebhookRequest,
  type WebhookSender,
} from '../../domain/delivery/webhook-sender.ts'
import { answerText } from './answer-text.ts'
import { AttemptFault } from './attempt-fault.ts'
import { createBoundedResolver, type LookupLimits, lookupLimitDefaults } from './bounded-resolver.ts'
import { createConnectionPool, type PoolLimits, poolLimitDefaults } from './connection-pool.ts'
import { createConnector } from './connector.ts'
import { startDeadline } from './deadline.ts'
import type { Exchange, HttpRequest } from './exchange.ts'
import { createSystemResolver, type ResolveHost } from './resolver.ts'
import { parseRetryAfter } from './retry-after.ts'
import { createTargets } from './targets.ts'

export type WebhookSenderSettings = {
  /** A laptop's: http, and addresses of its own network. The cloud never sets it. */
  allowPrivate: boolean
  /** Unix time in milliseconds. */
  now: () => number
  /** Default: c-ares, with the system's servers. Bounded and cached by the sender in any case. */
  resolve?: ResolveHost
  /** PEM, trusted beside the default authorities. */
  caCertificates?: readonly string[]
  userAgent?: string
  /** Which of a host's many addresses are tried. */
  random?: () => number
  limits?: Partial<PoolLimits & LookupLimits>
}

/** Default headers give way to those of the request, however it spells them. */
const withDefaults = (headers: WebhookRequest['headers'], userAgent: string): Record<string, string> => {
  const given = new Set(Object.keys(headers).map(name => name.toLowerCase()))
  const defaults = { 'content-type': 'application/json', 'user-agent': userAgent }
  return { ...Object.fromEntries(Object.entries(defaults).filter(([name]) => !given.has(name))), ...headers }
}

type Outcome = { kind: 'failed'; reason: AttemptFault['reason'] } | Exchange

const first = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header[0] : header

const toResult = (outcome: Outcome, times: { startedAtMs: number; nowMs: number }): SendResult => {
  const tookMs = Math.max(0, times.nowMs - times.startedAtMs)
  if (outcome.kind === 'failed') return { kind: 'failed', reason: outcome.reason, tookMs }
  const { status, headers, kept } = outcome
  const retryAfter = first(headers['retry-after'])
  const retryAtMs = parseRetryAfter({ retryAfter, date: first(headers['date']) }, times.nowMs)
  return { kind: 'answered', status, retryAtMs, answer: answerText(kept), tookMs }
}

/**
 * Makes one attempt over HTTP/1.1 (DESIGN.md, section 6, "One attempt"): one deadline for everything, checked
 * addresses only, redirects not followed, bounded answers; a reused socket that fails before a byte of the answer is
 * tried once more on a fresh one. Throws only for faults of ours (headers that can't be sent, use after `close`).
 * `close` waits for the attempts under way, then closes every connection.
 */
export const createWebhookSender = (
  settings: WebhookSenderSettings,
): WebhookSender & { close(): Promise<void> } => {
  const { allowPrivate, now } = settings
  const limits = { ...poolLimitDefaults, ...lookupLimitDefaults, ...settings.limits }
  const userAgent = settings.userAgent ?? `${packageJson.name}/${packageJson.version}`
  const resolve = createBoundedResolver({
    ...limits,
    resolve: settings.resolve ?? createSystemResolver(),
    now,
  })
  const { caCertificates = [], random = Math.random } = settings
  const connect = createConnector({ resolve, allowPrivate, caCertificates, random })
  const pool = createConnectionPool({ ...limits, connect, now })
  const targetOf = createTargets({ allowPrivate })
  const underWay = new Set<Promise<unknown>>()
  let closed = false

  const postOn = async (
    target: { origin: string; request: HttpRequest; fresh: boolean; deadlineMs: number },
    signal: AbortSignal,
  ): Promise<Exchange> => {
    const askedAtMs = now()
    const connection = await pool.acquire({ origin: target.origin, fresh: target.fresh, signal })
    const waitedMs = now() - askedAtMs
    let reusable = false
    try {
      const exchange = await connection.post(target.request, signal)
      // It got a connection too late: what it was about to do with it is not why its time ended.
      const late = waitedMs * 2 > target.deadlineMs
      if (late && exchange.kind === 'failed' && isTimeout(exchange.reason))
        return { ...exchange, reason: 'connections_busy' }
      reusable = exchange.kind === 'answered' && exchange.whole
      return exchange
    } finally {
      pool.release(connection, reusable)
    }
  }

  const attempt = async (request: WebhookRequest): Promise<Outcome> => {
    const to = targetOf(request.endpoint.url)
    if (!to.ok) return { kind: 'failed', reason: to.reason }
    const headers = withDefaults(request.headers, userAgent)
    const post = { path: to.path, headers, body: Buffer.from(request.body) }
    const { deadlineMs } = request
    const deadline = startDeadline(deadlineMs)
    const target = { origin: to.origin, request: post, deadlineMs }
    try {
      const exchange = await postOn({ ...target, fresh: false }, deadline.signal)
      if (exchange.kind === 'answered' || !exchange.stale) return exchange
      return await postOn({ ...target, fresh: true }, deadline.signal)
    } catch (error) {
      if (error instanceof AttemptFault) return { kind: 'failed', reason: error.reason }
      throw error
    } finally {
      deadline.clear()
    }
  }

  return {
    send: async request => {
      if (closed) {
        const hint = 'close the sender after everything that sends has ended'
        throw new BridgeError({ code: 'sender_closed', message: 'the webhook sender is closed', hint })
      }
      const startedAtMs = now()
      const outcome = attempt(request)
      underWay.add(outcome)
      try {
        return toResult(await outcome, { startedAtMs, nowMs: now() })
      } finally {
        underWay.delete(outcome)
      }
    },
    close: async () => {
      closed = true
      await Promise.allSettled(underWay)
      await pool.close()
    },
  }
}
