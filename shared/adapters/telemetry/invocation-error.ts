import { BridgeError, faultOf, framesOf } from '../../domain/bridge-error.ts'

/** Frames of a stack that a line tells. */
const framesMax = 10

/**
 * Stands for an error that is none of ours. What a handler throws, Lambda's runtime prints with message, stack and
 * fields, and hands on to the destination of failed runs; a foreign message may hold data.
 */
export class InvocationError extends BridgeError {}

/** What may leave the function of what a handler threw: our own errors as they are. */
export const throwableOf = (error: unknown): BridgeError => {
  if (error instanceof BridgeError) return error
  const { reason, hint } = faultOf(error)
  return new InvocationError({ code: reason, message: `The invocation failed. ${hint}`, hint })
}

/** The fields of the line that tells of a failed invocation: a foreign error's message is none of them. */
export const fieldsOf = (error: unknown): Record<string, unknown> => ({
  ...faultOf(error),
  ...(error instanceof BridgeError ? { detail: error.message } : {}),
  frames: framesOf(error).slice(0, framesMax),
})
