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
  const place = /([\w.-]+:\d+):\d+\)?$/.exec(framesOf(error)[0] ?? '')?.[1]
  return place === undefined ? '' : ` at ${place}`
}

/** Where an error was thrown, innermost first, without its message: that may hold data, and lines that look like frames. */
export const framesOf = (error: unknown): string[] => {
  if (!(error instanceof Error) || error.stack === undefined) return []
  const { stack, message } = error
  const begin = stack.indexOf(message)
  // Changed since it was thrown: the stack has a message that is not known.
  if (begin < 0) return []
  return stack
    .slice(begin + message.length)
    .split('\n')
    .filter(line => /^\s+at /.test(line))
    .map(line => line.trim())
}
