import type { Answer } from './answer.ts'
import { fraction } from './hash.ts'

/** What befalls the connection: no answer, none whole, or one that takes its time. */
export const transportFaults = ['timeout', 'reset', 'truncated', 'slow'] as const
export type TransportFault = (typeof transportFaults)[number]

/** What befalls the body of a 200. */
export const bodyFaults = ['garbage', 'html', 'empty'] as const
export type BodyFault = (typeof bodyFaults)[number]

/** A number is an HTTP status of 400 to 599. */
export type Fault = TransportFault | BodyFault | number
export type FaultShare = { fault: Fault; share: number }

/** An answer, and what the connection makes of it. */
export type Outcome = { answer: Answer; transport: TransportFault | null }

/** The fault that the nth request meets, or null: a function of seed and n alone. */
export const drawFault = (
  faults: readonly FaultShare[],
  seed: number,
  requestNumber: number,
): Fault | null => {
  let left = fraction(seed, 'fault', requestNumber)
  for (const { fault, share } of faults) {
    if (left < share) return fault
    left -= share
  }
  return null
}

const bodies: Record<BodyFault, { type: string; body: string }> = {
  garbage: { type: 'application/json', body: '{"count": 3, "results": [{"uuid": \u0000\u0007 }}]' },
  html: { type: 'text/html', body: '<!doctype html><title>One moment</title><p>We will be back soon.</p>' },
  empty: { type: 'application/json', body: '' },
}

/** What feedback-api.md, section 8, has a 429 say. */
const limitHeaders = { 'retry-after': '1', 'x-ratelimit-remaining': '0' } as const

const isTransportFault = (fault: Fault): fault is TransportFault =>
  transportFaults.some(transport => transport === fault)

/** What a request is answered with under a fault; `errorAnswer` makes the service's usual error of a status. */
export const applyFault = (
  fault: Fault,
  answer: Answer,
  errorAnswer: (status: number) => Answer,
): Outcome => {
  if (typeof fault === 'number') {
    const error = errorAnswer(fault)
    const headers = { ...answer.headers, ...error.headers, ...(fault === 429 ? limitHeaders : {}) }
    return { answer: { ...error, headers }, transport: null }
  }
  if (isTransportFault(fault)) return { answer, transport: fault }
  const { type, body } = bodies[fault]
  return {
    answer: { status: 200, headers: { ...answer.headers, 'content-type': type }, body },
    transport: null,
  }
}
