import * as z from 'zod'
import { type Command, defineCommand, type Noun } from './command.ts'
import { exitDone } from './exit-codes.ts'
import { argument } from './input.ts'
import { programName, spellingsOf, standardParts } from './program.ts'
import { show } from './session.ts'

const shells = ['bash', 'zsh'] as const

/** A command that prints what makes a shell complete the others. */
export const createCompletion = (entries: readonly (Noun | Command)[]): Command =>
  defineCommand({
    name: 'completion',
    summary: 'Print what makes bash or zsh complete nouns, commands and flags',
    details: `It completes the word ${programName}: where that is no command of the shell yet, make it an alias first.`,
    examples: [
      {
        line: 'bridge completion bash > ~/.bridge-completion',
        text: 'Then, in ~/.bashrc: source ~/.bridge-completion',
      },
      {
        line: 'bridge completion zsh > ~/.bridge-completion',
        text: 'Then, in ~/.zshrc: source ~/.bridge-completion',
      },
    ],
    hasTarget: false,
    input: z.object({
      shell: argument(z.enum(shells, { error: `must be ${shells.join(' or ')}` }), {
        value: 'SHELL',
        text: shells.join(' or '),
      }),
    }),
    run: async ({ shell }, session) => {
      const script = completionScript(entries, shell)
      show(session, { json: () => ({ shell, script }), text: () => script })
      return exitDone
    },
  })

/** zsh reads bash's completions itself, once it is told to. */
const completionScript = (entries: readonly (Noun | Command)[], shell: (typeof shells)[number]): string => {
  const begin = shell === 'zsh' ? 'autoload -U +X compinit bashcompinit\ncompinit\nbashcompinit\n' : ''
  const cases = entries.flatMap(entry =>
    entry.kind === 'command'
      ? [caseOf(`"${entry.name} "*`, flagsOf(entry))]
      : [
          ...entry.commands.map(command => caseOf(`"${entry.name} ${command.name}"`, flagsOf(command))),
          caseOf(
            `"${entry.name} "*`,
            entry.commands.map(({ name }) => name),
          ),
        ],
  )
  const top = [...entries.map(({ name }) => name), 'completion', '--help', '--version'].join(' ')
  // The word that is being typed is none of those that say where we are.
  return `${begin}_${programName}() {
  local words first="" second=""
  [ "$COMP_CWORD" -gt 1 ] && first="\${COMP_WORDS[1]}"
  [ "$COMP_CWORD" -gt 2 ] && second="\${COMP_WORDS[2]}"
  case "$first $second" in
${cases.join('\n')}
    "completion "*) words="${shells.join(' ')}" ;;
    *) words="${top}" ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _${programName} ${programName}`
}

const caseOf = (pattern: string, words: readonly string[]): string =>
  `    ${pattern}) words="${words.join(' ')}" ;;`

const flagsOf = (command: Command): string[] =>
  [...command.parts, ...standardParts(command), { name: 'help', short: null, kind: 'toggle' }]
    .filter(({ kind }) => kind !== 'argument')
    .flatMap(spellingsOf)
