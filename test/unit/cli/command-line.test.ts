import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { isConfirmed, readSecret } from '../../../infra/cli/asking.ts'
import { type Command, defineCommand, defineNoun } from '../../../infra/cli/command.ts'
import { entries } from '../../../infra/cli/entries.ts'
import { type ExitCode, exitDone } from '../../../infra/cli/exit-codes.ts'
import { CommandError, RefusedError } from '../../../infra/cli/failures.ts'
import { argument, needed, optional, toggle } from '../../../infra/cli/input.ts'
import { parseLine, standardParts } from '../../../infra/cli/program.ts'
import { runCommandLine } from '../../../infra/cli/run-command-line.ts'
import { type Session, show } from '../../../infra/cli/session.ts'
import { createFakeIo } from './fake-io.ts'

const number = z.string().regex(/^\d+$/, { error: 'must be a number' }).transform(Number)

const copy = (run: (input: unknown, session: Session) => Promise<ExitCode>): Command =>
  defineCommand({
    name: 'copy',
    summary: 'Copy a thing',
    examples: [{ line: 'bridge thing copy a --times 2' }],
    confirms: true,
    input: z.object({
      id: argument(z.string().min(1), { value: 'ID', text: 'which thing' }),
      times: needed(number, { value: 'N', text: 'how often' }),
      size: optional(number, { value: 'N', short: 's', text: 'how large' }),
      mirrored: toggle('the other way round'),
    }),
    run,
  })

const world = (run: (input: unknown, session: Session) => Promise<ExitCode> = async () => exitDone) => {
  const nouns = [defineNoun({ name: 'thing', summary: 'Things', commands: [copy(run)] })]
  const terminal = createFakeIo()
  const stop = new AbortController()
  const clock = { now: () => 0, sleep: async () => undefined }
  const deps = { entries: nouns, io: terminal.io, clock, signal: stop.signal }
  return { terminal, stop, run: (...args: string[]) => runCommandLine(args, deps) }
}

describe('the command line', () => {
  test('hands the checked values of arguments and flags to the command, and its exit code on', async () => {
    const seen: unknown[] = []
    const { run, terminal } = world(async (input, session) => {
      seen.push(input, session.json, session.yes)
      show(session, { json: () => ({ a: 1 }), text: () => 'text' })
      return 1
    })
    expect(await run('thing', 'copy', 'a', '--times', '2', '--mirrored', '--json', '--yes')).toBe(1)
    expect(seen).toEqual([{ id: 'a', times: 2, mirrored: true }, true, true])
    expect(terminal.out()).toBe('{\n  "a": 1\n}\n')
    expect(await run('thing', 'copy', '--times=3', 'b')).toBe(1)
    expect(seen.slice(3)).toEqual([{ id: 'b', times: 3 }, false, false])
  })

  test('takes a flag by its letter as by its name, and counts both as one', async () => {
    const seen: unknown[] = []
    const { run, terminal } = world(async input => {
      seen.push(input)
      return exitDone
    })
    for (const size of [['-s', '7'], ['-s7'], ['--size', '7']]) {
      expect(await run('thing', 'copy', 'a', '--times', '1', ...size)).toBe(0)
    }
    expect(seen).toEqual(Array.from({ length: 3 }, () => ({ id: 'a', times: 1, size: 7 })))
    expect(await run('thing', 'copy', 'a', '--times', '1', '-s', '7', '--size', '7')).toBe(2)
    expect(await run('thing', 'copy', 'a', '--times', '1', '-s', '-x')).toBe(2)
    expect(terminal.notes().split('\n')).toEqual([
      'bridge: --size: is given 2 times; give it once',
      'bridge: -x: is no flag here; --help lists them',
      'bridge: --size: needs a value (one that begins with a hyphen is written --size=…)',
      '',
    ])
    expect(await run('thing', 'copy', '--help')).toBe(0)
    expect(terminal.out()).toMatch(/^ {2}-s, --size N +how large$/m)
  })

  test('tells all that is wrong at once, does nothing, and ends with 2', async () => {
    const { run, terminal } = world(() => Promise.reject(new Error('was run')))
    const wrong = ['--times', 'x', '--size', '--stack', 's', '--data', 'd', '--mirorred']
    expect(await run('thing', 'copy', ...wrong)).toBe(2)
    expect(terminal.notes().split('\n')).toEqual([
      'bridge: --mirorred: is no flag here; is --mirrored meant?',
      'bridge: --size: needs a value (one that begins with a hyphen is written --size=…)',
      'bridge: --times: must be a number',
      'bridge: --data and --stack: give one of them',
      '',
    ])
    expect(terminal.out()).toBe('')
  })

  test('says what is missing, what is given twice, and what belongs to nothing', async () => {
    const { run, terminal } = world()
    expect(await run('thing', 'copy')).toBe(2)
    expect(await run('thing', 'copy', 'a', 'b', '--times', '1', '--times', '2', '--region', 'r')).toBe(2)
    expect(terminal.notes().split('\n')).toEqual([
      'bridge: ID: is missing; which thing',
      'bridge: --times: is missing; how often',
      'bridge: 1 of what was given belongs to no flag; --help tells what is taken',
      'bridge: --times: is given 2 times; give it once',
      'bridge: --region: belongs to --stack',
      '',
    ])
  })

  test('never repeats a value: what follows a flag that does not exist may be a secret', async () => {
    const { run, terminal } = world()
    for (const args of [['--token', 's3cret'], ['--token=s3cret'], ['a', 's3cret', '--size', 's3cret']]) {
      expect(await run('thing', 'copy', ...args)).toBe(2)
    }
    expect(terminal.notes()).not.toContain('s3cret')
  })

  test.each([
    [new CommandError({ code: 'c', message: 'it is not there', hint: 'Look elsewhere.' }), 1],
    [new RefusedError({ code: 'c', message: 'it must not be', hint: 'Do otherwise.' }), 3],
  ])('tells a failure with what to do, without a stack: %s', async (error, code) => {
    const { run, terminal } = world(() => Promise.reject(error))
    expect(await run('thing', 'copy', 'a', '--times', '1')).toBe(code)
    expect(terminal.notes()).toBe(`bridge: ${error.message}\n  ${error.hint}\n`)
  })

  test('says of an unexpected fault neither message nor stack, which may hold data', async () => {
    const { run, terminal } = world(() => Promise.reject(new TypeError('jo@example.com is undefined')))
    expect(await run('thing', 'copy', 'a', '--times', '1')).toBe(1)
    expect(terminal.notes()).toMatch(/^bridge: An unexpected TypeError at [\w.-]+:\d+; please report it\.\n$/)
  })

  test.each([
    ['CredentialsProviderError', 'no AWS credentials were found; sign in, or name a profile with --profile'],
    ['TokenProviderError', 'no AWS credentials were found; sign in, or name a profile with --profile'],
  ])('says what to do about a %s', async (name, told) => {
    const error = Object.assign(new Error('Could not load credentials from any providers'), { name })
    const { run, terminal } = world(() => Promise.reject(error))
    expect(await run('thing', 'copy', 'a', '--times', '1')).toBe(1)
    expect(terminal.notes()).toBe(`bridge: ${told}\n`)
  })

  test('leaves a command that does not end after Ctrl-C', async () => {
    const { run, stop } = world(() => new Promise(() => undefined))
    const code = run('thing', 'copy', 'a', '--times', '1')
    stop.abort()
    expect(await code).toBe(130)
  })

  test('help is asked for on stdout with 0, and shown on stderr with 2 where no command is named', async () => {
    const { run, terminal } = world()
    expect(await run('thing', 'copy', '--help')).toBe(0)
    expect(terminal.out()).toContain('Usage: bridge thing copy ID [flags]')
    expect(terminal.notes()).toBe('')
    expect(await run('thing')).toBe(2)
    expect(terminal.notes()).toContain('copy ID')
    expect(await run('thng', 'copy')).toBe(2)
    expect(terminal.notes()).toContain("unknown command 'thng'; Did you mean thing?")
  })

  test.each([
    [['thing', '--data', 'x'], 'thing: a command is missing; it stands before its flags, and is one of copy'],
    [['--data', 'x'], 'a command is missing; it stands before its flags, and --help lists them'],
    [['zebra'], "unknown command 'zebra'; bridge --help lists those there are"],
    [['thing', 'zebra'], "unknown command 'zebra'; bridge thing --help lists those there are"],
    [['thing', 'cpy'], "unknown command 'cpy'; Did you mean copy?"],
  ])('%j names what is missing or unknown, and what there is', async (args, problem) => {
    const { run, terminal } = world()
    expect(await run(...args)).toBe(2)
    expect(terminal.notes()).toBe(`bridge: ${problem}\n`)
  })
})

describe('every command', () => {
  const commands = entries.flatMap(entry =>
    entry.kind === 'command'
      ? [[entry.name, entry] as const]
      : entry.commands.map(command => [`${entry.name} ${command.name}`, command] as const),
  )

  test.each(commands)('%s has examples that are right, each a line that it takes', (path, command) => {
    expect(command.examples.length).toBeGreaterThan(0)
    for (const { line } of command.examples) {
      expect(line.startsWith(`bridge ${path}`), line).toBe(true)
      const words = line
        .replace(/(?: [<>] \S+)$/, '')
        .split(' ')
        .slice(1)
      const parsed = parseLine(entries, words)
      if (parsed.kind !== 'command') throw new Error(`${line} is none: ${JSON.stringify(parsed)}`)
      expect([parsed.command, parsed.strays]).toEqual([command, []])
      expect(parsed.command.prepare(parsed.raw).problems, line).toEqual([])
    }
  })

  test.each(commands)('%s takes no flag of the standard ones for its own, and no secret', (_, command) => {
    const own = command.parts.map(({ name }) => name)
    const standard = standardParts(command).map(({ name }) => name)
    expect(own.filter(name => standard.includes(name))).toEqual([])
    expect(own.filter(name => /^(token|secret|password)$/.test(name))).toEqual([])
    // To commander they would be the opposite of a flag without the `no-`.
    expect(own.filter(name => name.startsWith('no-'))).toEqual([])
  })
})

describe('asking', () => {
  test('before what can not be undone: --yes is an answer, a person may be asked, nobody is an error', async () => {
    const alone = createFakeIo()
    expect(await isConfirmed({ io: alone.io, yes: true }, 'Really?')).toBe(true)
    await expect(isConfirmed({ io: alone.io, yes: false }, 'Really?')).rejects.toMatchObject({
      problems: ['Really? Nobody can be asked here: give --yes to do it'],
    })
    const person = createFakeIo({ answers: [true, false] })
    expect(await isConfirmed({ io: person.io, yes: false }, 'Really?')).toBe(true)
    expect(await isConfirmed({ io: person.io, yes: false }, 'Sure?')).toBe(false)
    expect(person.asked()).toEqual(['Really?', 'Sure?'])
    expect(person.notes()).toBe('Nothing was done.\n')
  })

  test('for a secret: what is piped in without its line end, else a prompt', async () => {
    expect(await readSecret({ io: createFakeIo({ stdin: ' tok\r\n' }).io }, 'Token')).toBe('tok')
    const person = createFakeIo({ answers: ['typed'] })
    expect(await readSecret({ io: person.io }, 'Token')).toBe('typed')
    expect(person.asked()).toEqual(['Token:'])
    const gaveUp = createFakeIo({ answers: [null] })
    await expect(readSecret({ io: gaveUp.io }, 'Token')).rejects.toMatchObject({
      problems: ['Token: none was given'],
    })
  })
})
