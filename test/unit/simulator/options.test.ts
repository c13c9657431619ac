import { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { flagOfOption, flags, optionsFromFlags } from '../../../infra/simulator/flags.ts'
import { parseOptions, SimulatorOptionsError, simulatorDefaults } from '../../../infra/simulator/options.ts'
import { createSimulator } from '../../../infra/simulator/simulator.ts'

const problemsOf = (act: () => unknown) => {
  try {
    act()
  } catch (error) {
    if (error instanceof SimulatorOptionsError) return error.problems
    throw error
  }
  return []
}

const fromCommandLine = (line: string): Record<string, unknown> => {
  const command = new Command()
  for (const { flag, text } of flags) command.option(flag, text)
  return optionsFromFlags(command.parse(line === '' ? [] : line.split(' '), { from: 'user' }).opts())
}

describe('options', () => {
  it('that are wrong are all named at once, with what is right', () => {
    const wrong = { lastId: 'time', pageSize: 0, fault: [{ fault: 'fire', share: 2 }], nonsense: 1 }
    const problems = problemsOf(() => parseOptions(wrong))
    expect(problems.map(({ option }) => option).sort()).toEqual(['fault', 'lastId', 'nonsense', 'pageSize'])
    expect(problems).toContainEqual({ option: 'lastId', message: 'must be position or timelogged' })
    expect(problems).toContainEqual({ option: 'pageSize', message: 'must be a whole number from 1 to 1000' })
  })

  it('are checked when they change too', () => {
    const simulator = createSimulator()
    expect(problemsOf(() => simulator.setOption('pageSize', 5000))).toHaveLength(1)
    expect(simulator.options.pageSize).toBe(100)
  })

  it('refuse faults whose shares are more than the whole', () => {
    const fault = [
      { fault: 500, share: 0.6 },
      { fault: 'reset', share: 0.5 },
    ]
    expect(problemsOf(() => parseOptions({ fault }))).toHaveLength(1)
  })
})

describe('flags', () => {
  it('leave every option at its default where none is given', () => {
    expect(parseOptions(fromCommandLine(''))).toEqual({ ...simulatorDefaults })
  })

  it('become the options that they name', () => {
    const line =
      '--last-id timelogged --order ignored-on-complaints --timelogged string --unknown-last-id all --page-size 7 --late 90 --late-share 0.5 --lag 3 --ties 4 --rate 0.5 --count 9 --rate-limit 0 --reset unix --fault 500:0.02,timeout:0.01 --seed 3 --backlog 8 --retention 60 --next cursor --next-host a:1 --no-profile --start 2026-01-31T12:00:00Z'
    expect(parseOptions(fromCommandLine(line))).toEqual({
      ...simulatorDefaults,
      lastId: 'timelogged',
      order: 'ignored-on-complaints',
      timelogged: 'string',
      unknownLastId: 'all',
      pageSize: 7,
      lateSeconds: 90,
      lateShare: 0.5,
      lagSeconds: 3,
      ties: 4,
      rate: 0.5,
      count: 9,
      rateLimit: 0,
      reset: 'unix',
      fault: [
        { fault: 500, share: 0.02 },
        { fault: 'timeout', share: 0.01 },
      ],
      seed: 3,
      backlog: 8,
      retentionSeconds: 60,
      next: 'cursor',
      nextHost: 'a:1',
      profile: false,
      startMs: Date.UTC(2026, 0, 31, 12),
    })
  })

  it('with text that makes no sense are refused under their own name', () => {
    const given = fromCommandLine('--rate fast --start monday --fault 500 --seed=')
    const names = problemsOf(() => parseOptions(given)).map(({ option }) => flagOfOption(option))
    expect(names.sort()).toEqual(['--fault', '--rate', '--seed', '--start'])
  })
})
