import { describe, expect, test } from 'vitest'
import { entries } from '../../../infra/cli/entries.ts'
import { programName, standardParts } from '../../../infra/cli/program.ts'
import { runCommandLine } from '../../../infra/cli/run-command-line.ts'
import { createFakeIo } from './fake-io.ts'

const run = async (args: readonly string[]) => {
  const terminal = createFakeIo()
  const clock = { now: () => 0, sleep: async () => undefined }
  const deps = { entries, io: terminal.io, clock, signal: new AbortController().signal }
  const code = await runCommandLine(args, deps)
  return { code, stdout: terminal.out(), stderr: terminal.notes() }
}

const commands = entries.flatMap(entry =>
  entry.kind === 'command'
    ? [[entry.name, entry] as const]
    : entry.commands.map(command => [`${entry.name} ${command.name}`, command] as const),
)
const folded = (text: string): string => text.replaceAll(/\s+/g, ' ')

describe('every command', () => {
  test.each(commands)(
    '%s --help tells what it takes, with examples, and ends with 0',
    async (path, command) => {
      const { code, stdout, stderr } = await run([...path.split(' '), '--help'])
      expect([code, stderr]).toEqual([0, ''])
      expect(stdout.startsWith(`Usage: ${programName} ${path} `)).toBe(true)
      const parts = [...command.parts, ...standardParts(command)]
      for (const { kind, name, value } of parts) {
        expect(stdout).toContain(kind === 'argument' ? `${value}` : `--${name}`)
      }
      const [, examples = ''] = stdout.split('\nExamples:\n')
      for (const { line } of command.examples) expect(examples).toContain(`  ${line}\n`)
      expect(folded(stdout)).toContain(command.summary)
      // Whoever pipes it gets text.
      expect(stdout).not.toContain('\u001b')
    },
  )

  test.each(commands)('%s tells every flag that lacks its value, and ends with 2', async (path, command) => {
    const flags = [...command.parts, ...standardParts(command)]
      .filter(({ kind }) => kind !== 'argument' && kind !== 'toggle')
      .map(({ name }) => `--${name}`)
    const { code, stdout, stderr } = await run([...path.split(' '), ...flags])
    if (flags.length === 0) return
    expect([code, stdout]).toEqual([2, ''])
    const lacking = [...stderr.matchAll(/^bridge: (--\S+): needs a value /gm)].map(([, flag]) => flag)
    expect(lacking.toSorted()).toEqual(flags.toSorted())
  })

  test.each(commands)('%s names every flag that is none, and never what was given to it', async path => {
    const given = ['--tokn', 'hunter2', '--bogus=hunter2', '--seccret', 'hunter2']
    const { code, stdout, stderr } = await run([...path.split(' '), ...given])
    expect([code, stdout]).toEqual([2, ''])
    const named = [...stderr.matchAll(/^bridge: (--\S+): is no flag here; /gm)].map(([, flag]) => flag)
    expect(named).toEqual(['--tokn', '--bogus', '--seccret'])
    expect(stderr).not.toContain('hunter2')
  })
})
