import type { Io } from '../../../infra/cli/io.ts'
import { plainLook } from '../../../infra/cli/output/look.ts'

type Answer = boolean | string | null

/** A terminal that notes what it is told; with answers, a person is there to give them, in their order. */
export const createFakeIo = (of: { stdin?: string; answers?: readonly Answer[] } = {}) => {
  const written = { out: '', notes: '' }
  const asked: string[] = []
  const answers = [...(of.answers ?? [])]
  const answer = (question: string): Answer => {
    asked.push(question)
    return answers.shift() ?? null
  }
  const textOf = (value: Answer): string | null => (typeof value === 'string' ? value : null)
  const io: Io = {
    out: text => {
      written.out += `${text}\n`
    },
    note: text => {
      written.notes += `${text}\n`
    },
    look: plainLook,
    isInteractive: of.answers !== undefined,
    standardInput: async () => of.stdin ?? null,
    askSecret: async question => textOf(answer(question)),
    confirm: async question => answer(question) === true,
    choose: async question => textOf(answer(question)),
    progress: () => undefined,
  }
  return { io, out: () => written.out, notes: () => written.notes, asked: () => asked }
}
