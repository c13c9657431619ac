/**
 * A fault of ours, or of something we depend on: never an expected outcome, which is a value.
 * `code` is stable and for machines, `hint` says to a person what to do. Neither message nor hint ever holds a
 * secret or a recipient's address.
 */
export class BridgeError extends Error {
  readonly code: string
  readonly hint: string

  constructor(fault: { code: string; message: string; hint: string; cause?: unknown }) {
    super(fault.message, fault.cause === undefined ? undefined : { cause: fault.cause })
    this.name = new.target.name
    this.code = fault.code
    this.hint = fault.hint
  }
}

/**
 * What reporters are told of a caught error: a stable code and what to do. Of one that is none of ours only its class
 * and where it was thrown: its message may hold data.
 */
export const faultOf = (error: unknown): { reason: string; hint: string } => {
  if (error instanceof BridgeError) return { reason: error.code, hint: error.hint }
  const name = error instanceof Error ? error.name : typeof error
  return { reason: 'unexpected', hint: `An unexpected ${name}${placeOf(error)}; please report it.` }
}

const placeOf = (error: unknown): string => {
  if (!(error instanceof Error)) return ''
  // The stack begins with the message, whose lines may look like frames.
  const frames = (error.stack ?? '').split(error.message).at(-1) ?? ''
  const place = /^\s+at .*?([\w.-]+:\d+):\d+\)?$/m.exec(frames)?.[1]
  return place === undefined ? '' : ` at ${place}`
}
