import { createFeedbackClient } from '../../../shared/adapters/feedback-api/client.ts'
import type { ListPage } from '../../../shared/adapters/feedback-api/page.ts'
import { BridgeError } from '../../../shared/domain/bridge-error.ts'
import type { Clock } from '../../../shared/domain/clock.ts'
import type { PageRequest } from '../../../shared/domain/polling/feedback-api.ts'
import { readPage } from '../../../shared/domain/polling/intake.ts'
import type { Anchor } from '../../../shared/domain/polling/walk-state.ts'
import { type Source, type StreamName, streamNames } from '../../../shared/domain/source.ts'
import type { OperatorBridge } from '../target/operator-bridge.ts'

/** A page that was asked for, when, and the records on it that can be read. */
export type Answered = {
  kind: 'answered'
  page: ListPage
  anchors: readonly Anchor[]
  startedMs: number
  endedMs: number
}
export type Unanswered = { kind: 'failed'; error: BridgeError }

export type StreamProbe = {
  stream: StreamName
  first: Answered | Unanswered
  /** The page after one of the first's records; null where there is none to ask after. */
  after: { anchor: Anchor; sibling: Anchor | null; answer: Answered | Unanswered } | null
}

export type SourceProbe = readonly StreamProbe[]

/** The most that one source is asked for: each list twice. */
export const requestsPerSource = 2 * streamNames.length

/** Asks both lists for their first page, and for what comes after a record of it. */
export const probeSource = async (
  source: Source,
  of: { bridge: OperatorBridge; clock: Clock; signal: AbortSignal },
): Promise<SourceProbe> => {
  const { bridge, clock, signal } = of
  const token = () => bridge.secrets.read(source.tokenSecret)
  const client = createFeedbackClient({ ...source, token, now: () => clock.now() })
  const ask = async (request: PageRequest): Promise<Answered | Unanswered> => {
    const startedMs = clock.now()
    try {
      const page = await client.listPage(request, signal)
      const { anchors } = readPage(page.records)
      return { kind: 'answered', page, anchors, startedMs, endedMs: clock.now() }
    } catch (error) {
      if (error instanceof BridgeError) return { kind: 'failed', error }
      throw error
    }
  }
  const probeStream = async (stream: StreamName): Promise<StreamProbe> => {
    const start = { stream, order: 'asc', lastId: null, nextQuery: null } as const
    const first = await ask(start)
    const pair = first.kind === 'answered' ? askedAfter(first.anchors) : null
    if (pair === null) return { stream, first, after: null }
    return { stream, first, after: { ...pair, answer: await ask({ ...start, lastId: pair.anchor.uuid }) } }
  }
  try {
    return await Promise.all(streamNames.map(probeStream))
  } finally {
    await client.close()
  }
}

/** A record with another of the same second after it, since what comes after that one tells the readings apart. */
const askedAfter = (anchors: readonly Anchor[]): { anchor: Anchor; sibling: Anchor | null } | null => {
  for (const [at, anchor] of anchors.entries()) {
    const next = anchors[at + 1]
    if (next?.second === anchor.second && next.uuid !== anchor.uuid) return { anchor, sibling: next }
  }
  const [anchor] = anchors
  return anchor === undefined ? null : { anchor, sibling: null }
}

/** Where the token is missing: the check of the secrets tells of it, and nothing was asked. */
export const hasNoToken = ({ error }: Unanswered): boolean => error.code === 'secret_missing'
