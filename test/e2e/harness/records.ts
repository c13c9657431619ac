import { randomUUID } from 'node:crypto'
import type { RecordToAdd } from '../../../infra/simulator/added-records.ts'

export const nowSecond = (): number => Math.floor(Date.now() / 1000)

/** So many records of one second, visible at once. */
export const recordsAt = (second: number, count: number): RecordToAdd[] =>
  Array.from({ length: count }, () => ({ uuid: randomUUID(), second }))

/** Records one second apart, the last one at `lastSecond`; `ties` of them share a second. */
export const recordsUntil = (lastSecond: number, seconds: number, ties = 1): RecordToAdd[] =>
  Array.from({ length: seconds }, (_, at) => recordsAt(lastSecond - seconds + 1 + at, ties)).flat()

export const bounceFields = (fields: Record<string, unknown> = {}): Record<string, unknown> => ({
  bounce_type: 'h',
  rcpt: 'recipient@example.com',
  orig: 'bounces@mail.example.org',
  dsndiag: 'smtp; 550 5.1.1 no such mailbox',
  bouncecat: 'bad-mailbox',
  header_from: 'News <news@example.org>',
  ...fields,
})
