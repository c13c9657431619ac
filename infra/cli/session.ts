import type { Clock } from '../../shared/domain/clock.ts'
import type { Io } from './io.ts'
import type { Look } from './output/look.ts'
import type { OperatorBridge } from './target/operator-bridge.ts'

/** What a running command has to work with. */
export type Session = {
  io: Io
  clock: Clock
  /** Aborted by Ctrl-C: what takes long ends then, so that the same command can go on with it. */
  signal: AbortSignal
  json: boolean
  /** What can't be undone needs no asking. */
  yes: boolean
  /** Opens the bridge that the flags name; closed by whoever runs the command. `make`: a data folder may be new. */
  open(how?: { make: boolean }): Promise<OperatorBridge>
}

/** The answer of a command on stdout: as JSON for machines, as text for people. */
export const show = (
  { io, json }: Session,
  answer: { json: () => unknown; text: (look: Look) => string },
): void => io.out(json ? JSON.stringify(answer.json(), null, 2) : answer.text(io.look))
