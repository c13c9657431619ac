/** What parent and child of a function's process say to each other. */
export type Invocation = {
  event: unknown
  requestId: string
  functionArn: string
  /** Unix milliseconds. */
  deadlineMs: number
}

export type FromRuntime =
  /** The module was imported: the environment that it was given, and what the import took. */
  | { kind: 'ready'; environment: Record<string, string>; node: string; importMs: number }
  | { kind: 'result'; result: unknown }
  /** Thrown by the handler, or at import. */
  | { kind: 'error'; type: string; message: string }
