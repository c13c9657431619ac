import { describe, expect, it } from 'vitest'
import { flags } from '../../../infra/simulator/flags.ts'
import { readLambdaSettings, variables } from '../../../infra/simulator/lambda-settings.ts'

const settingsOf = (given: Record<string, string> = {}) =>
  readLambdaSettings({ TOKEN_SECRET: 'bridge/token-simulator', ...given })

describe('the environment of the function', () => {
  it('needs the name of the secret only: the same seed and start at every deployment', () => {
    const { tokenSecret: name, options } = settingsOf()
    expect(name).toBe('bridge/token-simulator')
    expect(options).toMatchObject({
      seed: 1,
      startMs: Date.UTC(2026, 0, 1),
      rate: 0.1,
      retentionSeconds: 2_592_000,
      rateLimit: 60,
      fault: [],
    })
  })

  it('has a variable for every flag, but for the tokens and the switches', () => {
    const without = flags.map(({ option }) => option).filter(option => !variables.has(option))
    expect(without.sort()).toEqual(['contactsToken', 'keepTimes', 'profile', 'token'])
    expect(variables.get('lateShare')).toBe('SIMULATOR_LATE_SHARE')
    expect(new Set(variables.values()).size).toBe(variables.size)
  })

  it('takes what the flags take', () => {
    const { options } = settingsOf({
      SIMULATOR_LATE: '60',
      SIMULATOR_LATE_SHARE: '0.5',
      SIMULATOR_LAST_ID: 'timelogged',
      SIMULATOR_START: '2026-06-01T00:00:00Z',
      SIMULATOR_FAULT: '500:0.02,garbage:0.01',
      SIMULATOR_PAGE_SIZE_PARAMETER: 'ignored',
    })
    expect(options).toMatchObject({
      lateSeconds: 60,
      lateShare: 0.5,
      lastId: 'timelogged',
      startMs: Date.UTC(2026, 5, 1),
      fault: [
        { fault: 500, share: 0.02 },
        { fault: 'garbage', share: 0.01 },
      ],
      pageSizeParameter: 'ignored',
    })
  })

  it('is refused with all that is wrong at once', () => {
    const given = {
      SIMULATOR_RATE: 'much',
      SIMULATOR_LAST_ID: 'uuid',
      SIMULATOR_TOKEN: 'a-secret',
      SIMULATOR_LASTID: 'position',
    }
    expect(() => readLambdaSettings(given)).toThrow(
      expect.objectContaining({
        code: 'simulator_settings',
        message:
          "The simulator's environment is not right: SIMULATOR_TOKEN is no variable of the simulator; SIMULATOR_LASTID is no variable of the simulator; TOKEN_SECRET must name the secret with the token; SIMULATOR_LAST_ID must be position or timelogged; SIMULATOR_RATE must be a number of records a second from 0 to 100000.",
      }),
    )
  })

  it.each([
    [
      'SIMULATOR_FAULT',
      '500:0.1,timeout:0.1,reset:0',
      /can't have timeout, reset: a function URL sends whole/,
    ],
    ['SIMULATOR_FAULT', 'truncated:0.1', /can't have truncated:/],
    ['SIMULATOR_FAULT', 'slow:0.1', /can't have slow:/],
    ['SIMULATOR_RATE', '10.1', /must be 10 records a second at most/],
    ['SIMULATOR_START', '2025-12-31T23:59:59Z', /must be 2026-01-01T00:00:00Z or later/],
    ['SIMULATOR_LATE', '86401', /must be 86400 s at most/],
  ])('refuses what a function can not do: %s=%s', (name, value, problem) => {
    expect(() => settingsOf({ [name]: value })).toThrow(problem)
  })
})
