import type * as z from 'zod'
import type { ExitCode } from './exit-codes.ts'
import {
  type InputPart,
  type InputProblem,
  type InputSchema,
  partsOf,
  type RawInput,
  readInput,
} from './input.ts'
import type { Session } from './session.ts'

export type Example = { line: string; text?: string }

export type Command = {
  kind: 'command'
  name: string
  /** One line, without a full stop. */
  summary: string
  /** What help tells beyond the flags. */
  details: string
  examples: readonly Example[]
  parts: readonly InputPart[]
  /** Works on a bridge: takes `--data`, or `--stack` and what belongs to it. */
  hasTarget: boolean
  /** Asks before it does what can't be undone: takes `--yes`. */
  confirms: boolean
  prepare(raw: RawInput): Prepared
}

export type Prepared =
  | { problems: []; start: (session: Session) => Promise<ExitCode> }
  | { problems: readonly InputProblem[]; start: null }

/** What commands are about, as `source`. */
export type Noun = { kind: 'noun'; name: string; summary: string; commands: readonly Command[] }

/**
 * A command: what it takes as a zod object whose parts `input.ts` made, and what it does. `run` gets the checked input;
 * it throws a `UsageError`, a `RefusedError` or another `BridgeError` where it can't be done.
 */
export const defineCommand = <S extends InputSchema>(spec: {
  name: string
  summary: string
  details?: string
  examples: readonly Example[]
  input: S
  hasTarget?: boolean
  confirms?: boolean
  run: (input: z.output<S>, session: Session) => Promise<ExitCode>
}): Command => ({
  kind: 'command',
  name: spec.name,
  summary: spec.summary,
  details: spec.details ?? '',
  examples: spec.examples,
  parts: partsOf(spec.input),
  hasTarget: spec.hasTarget ?? true,
  confirms: spec.confirms ?? false,
  prepare: raw => {
    const { input, problems } = readInput(spec.input, raw)
    if (input === null) return { problems, start: null }
    return { problems: [], start: session => spec.run(input, session) }
  },
})

export const defineNoun = (noun: Omit<Noun, 'kind'>): Noun => ({ kind: 'noun', ...noun })
