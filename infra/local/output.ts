import type { Reporter } from '../../shared/domain/happenings.ts'

/** Where a run tells what it does. */
export type Output = {
  /** Lines for people: how it goes. */
  tell(line: string): void
  /** Lines for people: what they should look after. */
  warn(line: string): void
  /** Everything that happens, for machines; null where nobody asked for it. */
  reporter: Reporter | null
  /** Resolves when whoever reads can take more. */
  admission(): Promise<void>
}
