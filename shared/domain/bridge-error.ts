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

/** What a caught error says for a log line: its code and hint, or its class where it is none of ours. */
export const faultOf = (error: unknown): { code: string; hint: string } => {
  if (error instanceof BridgeError) return { code: error.code, hint: error.hint }
  const name = error instanceof Error ? error.name : typeof error
  return { code: 'unexpected', hint: `An unexpected ${name}: see the log for its stack.` }
}
