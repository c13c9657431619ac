import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Command } from '../../../infra/cli/command.ts'
import { entries } from '../../../infra/cli/entries.ts'
import { readInput } from '../../../infra/cli/input.ts'
import { parseLine } from '../../../infra/cli/program.ts'
import { targetInput } from '../../../infra/cli/standard-flags.ts'

const root = new URL('../../../', import.meta.url)
const documents = ['README.md', 'RUNBOOK.md'] as const

/** Where a command line begins: after a prompt or a backtick, or as npm is asked for it. */
const lineStarts = /(?:^\$ bridge|`bridge|^ *npm run(?: -s)? bridge --) ([^`\n]+)/gm

/** The command lines of a document, without what is the shell's. */
const bridgeLines = (document: string): string[] => {
  const text = readFileSync(new URL(document, root), 'utf8')
  return [...text.matchAll(lineStarts)].map(([, line = '']) =>
    line
      .replace(/ +#.*$/, '')
      .replace(/ [<>] .*$/, '')
      .trim(),
  )
}

const problemsOf = (line: string): readonly string[] => {
  // As a shell splits it: what stands in single quotes is one word.
  const words = [...line.matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) => quoted ?? word)
  const parsed = parseLine(entries, words)
  if (parsed.kind === 'shown') return ['is help']
  if (parsed.kind === 'wrong') return parsed.problems
  const { command, raw, strays } = parsed
  const target = readInput(targetInput, raw).problems
  return [...strays, ...[...command.prepare(raw).problems, ...target].map(({ text }) => text)]
}

/** `source add`, or `status`. */
const commandNames = entries.flatMap(entry =>
  entry.kind === 'command'
    ? [entry.name]
    : entry.commands.map(({ name }: Command) => `${entry.name} ${name}`),
)

describe('the command lines of the documents', () => {
  test.each(documents)('are taken by the command as they stand in %s', document => {
    const lines = bridgeLines(document)
    expect(lines.length).toBeGreaterThan(20)
    const wrong = lines.map(line => ({ line, problems: problemsOf(line) }))
    expect(wrong.filter(({ problems }) => problems.length > 0)).toEqual([])
  })

  test('name every noun and every command without one in the README', () => {
    const lines = bridgeLines('README.md')
    const missing = entries.filter(({ name }) => !lines.some(line => line.split(' ')[0] === name))
    expect(missing.map(({ name }) => name)).toEqual([])
  })
})

describe('the page of the command', () => {
  test('tells what --json shows of each command that has an answer', () => {
    const page = readFileSync(new URL('infra/cli/README.md', root), 'utf8')
    const shapes = page.slice(page.indexOf('## What `--json` shows'))
    // `source show|add|update` is three; `deliveries retry EVENT ENDPOINT` is one.
    const told = [...shapes.matchAll(/`([a-z]+)(?: ([a-z|-]+))?[^`]*`/g)].flatMap(([, noun = '', names]) => [
      noun,
      ...(names?.split('|') ?? []).map(name => `${noun} ${name}`),
    ])
    // It prints what a shell reads.
    const silent = ['completion']
    expect(commandNames.filter(name => !told.includes(name) && !silent.includes(name))).toEqual([])
  })
})
