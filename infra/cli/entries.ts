import type { Command, Noun } from './command.ts'
import { createCompletion } from './completion.ts'
import { endpointNoun } from './endpoint.ts'
import { sourceNoun } from './source.ts'

const doing: readonly (Noun | Command)[] = [sourceNoun, endpointNoun]

/** Everything that the command can do, in the order of its help. */
export const entries: readonly (Noun | Command)[] = [...doing, createCompletion(doing)]
