import * as z from 'zod'
import type { Outcome } from '../../../infra/simulator/faults.ts'
import type { SimulatorRequest } from '../../../infra/simulator/request-handler.ts'
import type { Simulator } from '../../../infra/simulator/simulator.ts'

/** 2026-01-31T12:00:00Z. */
export const startMs = 1_769_860_800_000
export const startSecond = startMs / 1000

/** Own records of every bounce type; ids of their own would hide what is generated, so they have none. */
export const sampleRows = [
  { bounce_type: 'h', rcpt: 'one@example.com', _dsn: { status: '5.1.1' } },
  { bounce_type: 's', rcpt: 'two@example.com' },
  { bounce_type: 'h', rcpt: 'three@example.com' },
  { bounce_type: 'e', rcpt: 'four@example.com' },
  { header_subject: 'five' },
  { header_subject: 'six', _arf: { feedback_type: 'abuse' } },
]

const envelopeSchema = z.strictObject({
  count: z.int(),
  next: z.url().nullable(),
  previous: z.url().nullable(),
  results: z.array(z.looseObject({ uuid: z.string(), timelogged: z.unknown() })),
})
export type Envelope = z.infer<typeof envelopeSchema>

export const parseEnvelope = (body: string): Envelope => envelopeSchema.parse(JSON.parse(body))

/** A request with the default token to a path and query under the default prefix, or to a whole URL. */
export const requestTo = (target: string, changes: Partial<SimulatorRequest> = {}): SimulatorRequest => {
  const url = new URL(
    target.startsWith('http') ? target : `/api/v2/${target}`,
    'http://simulator.example:8025',
  )
  const headers = { authorization: 'Token simulator-token' }
  return {
    method: 'GET',
    path: url.pathname,
    query: url.search.slice(1),
    host: url.host,
    headers,
    ...changes,
  }
}

export const get = (
  simulator: Simulator,
  target: string,
  changes: Partial<SimulatorRequest> = {},
): Promise<Outcome> => simulator.handle(requestTo(target, changes))

export const getPage = async (simulator: Simulator, target: string): Promise<Envelope> => {
  const { answer } = await get(simulator, target)
  if (answer.status !== 200) throw new Error(`${target} was answered with ${answer.status}: ${answer.body}`)
  return parseEnvelope(answer.body)
}

export const idsOf = (page: Envelope): string[] => page.results.map(({ uuid }) => uuid)

/** Every page from a target on by `next` (or `previous`). */
export const walk = async (
  simulator: Simulator,
  target: string,
  by: 'next' | 'previous' = 'next',
): Promise<Envelope[]> => {
  const pages: Envelope[] = []
  for (let url: string | null = target; url !== null; url = pages.at(-1)?.[by] ?? null) {
    pages.push(await getPage(simulator, url))
  }
  return pages
}
