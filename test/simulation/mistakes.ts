import { cursorMistakes } from './mistakes/cursor-mistakes.ts'
import { dispatcherMistakes } from './mistakes/dispatcher-mistakes.ts'
import { leakMistakes } from './mistakes/leak-mistakes.ts'
import { releaserMistakes } from './mistakes/releaser-mistakes.ts'
import { sendingMistakes } from './mistakes/sending-mistakes.ts'

/** By the names under which a failure of the proof tells of them. */
export const mistakes = {
  ...sendingMistakes,
  ...cursorMistakes,
  ...dispatcherMistakes,
  ...releaserMistakes,
  ...leakMistakes,
}

export type MistakeName = keyof typeof mistakes
