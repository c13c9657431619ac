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
