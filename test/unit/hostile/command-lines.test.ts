import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Command, Noun } from '../../../infra/cli/command.ts'
import { entries } from '../../../infra/cli/entries.ts'
import { exitDone } from '../../../infra/cli/exit-codes.ts'
import { standardParts } from '../../../infra/cli/program.ts'
import { runCommandLine } from '../../../infra/cli/run-command-line.ts'
import { flagTable } from '../../../infra/local/flag-table.ts'
import { readCommandLine } from '../../../infra/local/flags.ts'
import { createFakeIo } from '../cli/fake-io.ts'
import { anyText, inherited, prototypeKeys } from './hostile-json.ts'
import { markers, markersIn } from './markers.ts'

/** Secrets as they follow a flag; the alphabets of some begin with a hyphen. */
const secretText = fc.constantFrom(
  ...Object.values(markers),
  ...Object.values(markers).map(text => `-${text}`),
)

const word = fc.oneof(
  { weight: 3, arbitrary: secretText },
  {
    weight: 1,
    arbitrary: secretText.map(
      text => `https://${encodeURIComponent(text)}:x@example.com/${encodeURIComponent(text)}`,
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '',
      '-',
      '--',
      '---',
      '=',
      '1',
      '-1',
      '1e400',
      'yes',
      '*',
      'all',
      '~',
      'main',
      '7d',
      '2026-11-20',
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom(...prototypeKeys) },
  { weight: 2, arbitrary: anyText.map(text => text.replaceAll('\u0000', '')) },
  { weight: 1, arbitrary: fc.constant('x'.repeat(10_000)) },
)

const argumentsOf = (flags: readonly string[]): fc.Arbitrary<string[]> => {
  const flag = fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(...flags) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(...['tokn', 'secrets', 'no-json', '__proto__', 'constructor', 'to-string']),
    },
  )
  const part = fc.oneof(
    { weight: 3, arbitrary: fc.tuple(flag, word).map(([name, value]) => [`--${name}`, value]) },
    { weight: 3, arbitrary: fc.tuple(flag, word).map(([name, value]) => [`--${name}=${value}`]) },
    { weight: 1, arbitrary: flag.map(name => [`--${name}`]) },
    { weight: 1, arbitrary: word.map(text => [text]) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom('-s', '-f', '-x', '-e'), word)
        .map(([short, text]) => [`${short}${text}`]),
    },
  )
  return fc.array(part, { maxLength: 6 }).map(parts => parts.flat())
}

describe('npm start', () => {
  test('reads any flags, or tells all that is wrong, without a stack and without a secret', () => {
    const before = inherited()
    const kinds = new Set<string>()
    const env = fc.record({ BRIDGE_API_TOKEN: fc.oneof(secretText, anyText) }, { requiredKeys: [] })
    fc.assert(
      fc.property(argumentsOf(flagTable.map(({ name }) => name)), env, (args, environment) => {
        const line = readCommandLine(args, environment)
        kinds.add(line.kind)
        if (line.kind !== 'wrong') return
        expect(line.problems.length).toBeGreaterThan(0)
        const told = line.problems.join('\n')
        expect([args, markersIn(told)]).toEqual([args, []])
        expect(told).not.toMatch(/^\s+at /m)
      }),
      { numRuns: 1_500 },
    )
    expect(inherited()).toEqual(before)
    expect([...kinds].sort()).toContain('wrong')
  }, 30_000)

  test('regression: a secret that begins with a hyphen, and so is no value to a flag, is not told', () => {
    for (const name of ['token', 'secret', 'tokn']) {
      const line = readCommandLine([`--${name}`, `-${markers.token}`], {})
      expect(line.kind === 'wrong' ? markersIn(line.problems.join('\n')) : line.kind).toEqual([])
    }
  })
})

/** Commands with all their checks, which do nothing. */
const idle = (command: Command): Command => ({
  ...command,
  prepare: raw => {
    const prepared = command.prepare(raw)
    return prepared.start === null ? prepared : { problems: [], start: async () => exitDone }
  },
})
const idleEntries: readonly (Noun | Command)[] = entries.map(entry =>
  entry.kind === 'noun' ? { ...entry, commands: entry.commands.map(idle) } : idle(entry),
)
const commands = entries.flatMap(entry =>
  entry.kind === 'noun'
    ? entry.commands.map(command => ({ path: [entry.name, command.name], command }))
    : [{ path: [entry.name], command: entry }],
)

describe("the operator's command", () => {
  const run = async (args: readonly string[]) => {
    const { io, notes } = createFakeIo()
    const clock = { now: () => 0, sleep: async () => undefined }
    const code = await runCommandLine(args, {
      entries: idleEntries,
      io,
      clock,
      signal: new AbortController().signal,
    })
    return { code, notes: notes() }
  }

  test('takes any words after a command, or tells what is wrong, without a stack and without a secret', async () => {
    const before = inherited()
    const codes = new Set<number>()
    const line = fc
      .constantFrom(...commands)
      .chain(({ path, command }) =>
        argumentsOf([...command.parts, ...standardParts(command)].map(({ name }) => name)).map(args => [
          ...path,
          ...args,
        ]),
      )
    await fc.assert(
      fc.asyncProperty(line, async args => {
        const { code, notes } = await run(args)
        codes.add(code)
        expect([0, 2]).toContain(code)
        expect([args, markersIn(notes)]).toEqual([args, []])
        expect(notes).not.toMatch(/^\s+at |unexpected/m)
        if (code === 2) expect(notes).not.toBe('')
      }),
      { numRuns: 1_500 },
    )
    expect(inherited()).toEqual(before)
    expect([...codes].sort()).toEqual([0, 2])
  }, 30_000)

  test('takes any words at all', async () => {
    const plain = fc.oneof(
      fc.constantFrom(
        'endpoint',
        'source',
        'add',
        'list',
        '--help',
        '--version',
        '--json',
        '--data',
        ...prototypeKeys,
      ),
      anyText,
    )
    await fc.assert(
      fc.asyncProperty(fc.array(plain, { maxLength: 6 }), async args => {
        const { code, notes } = await run(args)
        expect([0, 2]).toContain(code)
        expect(notes).not.toMatch(/^\s+at |unexpected/m)
      }),
      { numRuns: 800 },
    )
  }, 30_000)
})
