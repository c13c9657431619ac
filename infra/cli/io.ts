import type { Look } from './output/look.ts'

/** The terminal, or whatever stands in its place. */
export type Io = {
  /** To stdout: what was asked for. */
  out(text: string): void
  /** To stderr: how it goes, what to look after. */
  note(text: string): void
  look: Look
  /** Whether a person is there to be asked. */
  isInteractive: boolean
  /** All of standard input, or null where that is a terminal. Throws a `UsageError` where it is too long. */
  standardInput(): Promise<string | null>
  /** Asks for something that is not shown as it is typed; null where the person gave up. */
  askSecret(question: string): Promise<string | null>
  confirm(question: string): Promise<boolean>
  /** One of the options' values, or null where the person gave up. */
  choose(question: string, options: readonly { value: string; label: string }[]): Promise<string | null>
  /** A line that is drawn over again and again, on a terminal alone; the empty text wipes it out. */
  progress(text: string): void
}
