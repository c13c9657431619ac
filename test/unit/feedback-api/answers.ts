import type { AnswerHeaders } from '../../../shared/adapters/feedback-api/answer-facts.ts'
import type { Answer } from '../../../shared/adapters/feedback-api/exchange.ts'

export const atMs = Date.UTC(2026, 10, 20, 9, 30, 0)
export const where = 'GET https://api.example.com/api/v2/bounces'

export function answerOf(status: number, body: string, headers: AnswerHeaders = {}): Answer {
  return { status, headers, atMs, bytes: Buffer.byteLength(body), text: () => body }
}
