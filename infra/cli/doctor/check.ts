import type { Clock } from '../../../shared/domain/clock.ts'
import type { Endpoint } from '../../../shared/domain/endpoint/endpoint.ts'
import type { Source } from '../../../shared/domain/source.ts'
import type { OperatorBridge } from '../target/operator-bridge.ts'
import type { SourceProbe } from './probe-source.ts'

export type Outcome =
  | 'ok'
  /** The bridge copes, or may: somebody should know. */
  | 'warning'
  | 'failed'
  /** It could not be told. */
  | 'skipped'

/** What a check found of one thing, in one line. */
export type Finding = {
  check: string
  /** The source, endpoint or queue; empty where it is about the whole. */
  of: string
  outcome: Outcome
  text: string
  /** What to do about it; null where nothing is to be done. */
  mend: string | null
}

export type CheckContext = {
  bridge: OperatorBridge
  clock: Clock
  signal: AbortSignal
  /** Those that are polled. */
  sources: readonly Source[]
  /** Those that were not removed. */
  endpoints: readonly Endpoint[]
  /** Each source is asked once for all checks. */
  probe(source: Source): Promise<SourceProbe>
  sendsTests: boolean
  allowPrivate: boolean
  /** Where the contacts API is, if not with the lists, and its key; null: with the lists, and their token. */
  contacts: { url: string; key: string } | null
}

export type Found = Omit<Finding, 'check'>

/** A check: what it throws is taken for a failure. */
export type Check = { name: string; run(context: CheckContext): Promise<readonly Found[]> }

export const ok = (of: string, text: string): Found => ({ of, outcome: 'ok', text, mend: null })
export const skipped = (of: string, text: string): Found => ({ of, outcome: 'skipped', text, mend: null })
export const warning = (of: string, text: string, mend: string): Found => ({
  of,
  outcome: 'warning',
  text,
  mend,
})
export const failed = (of: string, text: string, mend: string): Found => ({
  of,
  outcome: 'failed',
  text,
  mend,
})
