/** What the command's exit says; documented in its help. */
export const exitDone = 0
/** It was tried and failed, or what it looked at is not well. */
export const exitFailed = 1
/** The command line is wrong: nothing was done. */
export const exitWrongUse = 2
/** It would break a rule of the bridge: nothing was done. */
export const exitRefused = 3
/** Ctrl-C. */
export const exitInterrupted = 130

export type ExitCode =
  | typeof exitDone
  | typeof exitFailed
  | typeof exitWrongUse
  | typeof exitRefused
  | typeof exitInterrupted
