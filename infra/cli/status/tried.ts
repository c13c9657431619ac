import { failureOf } from '../failures.ts'

/** What was looked at, or why it can't be told: one part that fails must not hide the others. */
export type Tried<T> = { value: T; problem: null } | { value: null; problem: string }

export const tried = async <T>(look: () => Promise<T>): Promise<Tried<T>> => {
  try {
    return { value: await look(), problem: null }
  } catch (error) {
    return {
      value: null,
      problem: failureOf(error)
        .lines.map(line => line.trim())
        .join('. '),
    }
  }
}
