import { describe, expect, test } from 'vitest'
import { type CommandLine, readCommandLine } from '../../../infra/local/flags.ts'
import { defaultRetrySchedule } from '../../../shared/domain/delivery/retry-policy.ts'

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const otherSecret = `whsec_${Buffer.alloc(32, 8).toString('base64')}`
const source = ['--source-url', 'https://api.example.com', '--token', 'Zq7-token']
const whole = [...source, '--endpoint', 'https://example.com/hooks']

const settingsOf = (args: readonly string[], env = {}) => {
  const line = readCommandLine(args, env)
  if (line.kind !== 'bridge') throw new Error(`not the bridge, but ${JSON.stringify(line)}`)
  return line.settings
}
const problemsOf = (args: readonly string[], env = {}): readonly string[] => {
  const line: CommandLine = readCommandLine(args, env)
  return line.kind === 'wrong' ? line.problems : []
}

describe('what is asked for', () => {
  test('no flags ask for the demo, also where the environment has a token', () => {
    expect(readCommandLine([], { BRIDGE_API_TOKEN: 't' })).toEqual({ kind: 'demo', json: false })
    expect(readCommandLine(['--json'], {})).toEqual({ kind: 'demo', json: true })
  })

  test('flags that name neither source nor endpoint ask for what the folder has', () => {
    const args = ['--data', '/tmp/kept', '--once', '--deadline', '2', '--retry-schedule', '1s']
    const settings = settingsOf([...args, '--allow-private-endpoints'], { BRIDGE_API_TOKEN: 't' })
    expect(settings).toEqual({
      source: null,
      token: null,
      endpoints: [],
      retrySchedule: [1_000],
      deadlineMs: 2_000,
      dataDir: '/tmp/kept',
      allowPrivate: true,
      once: true,
    })
    expect(settingsOf(['--once']).dataDir).toBe('.bridge')
  })

  test('no flags ask for what the default folder has, where the operator gave that one a source', () => {
    const asked: string[] = []
    const keeps = (dataDir: string): boolean => asked.push(dataDir) > 0
    const line = readCommandLine(['--json'], {}, keeps)
    expect(line).toMatchObject({ kind: 'bridge', json: true, settings: { source: null, dataDir: '.bridge' } })
    expect(asked).toEqual(['.bridge'])
  })

  test('--version prints the version, --help every flag', () => {
    expect(readCommandLine(['--version'], {})).toEqual({ kind: 'shown', text: '0.1.0\n' })
    const help = readCommandLine(['--help'], {})
    const text = help.kind === 'shown' ? help.text : ''
    for (const flag of [
      '--source-url <URL>',
      '--retry-schedule <LIST>',
      '--include-soft',
      '--once',
      'Exit codes',
    ]) {
      expect(text).toContain(flag)
    }
  })

  test('the least that a service needs brings the defaults of the design', () => {
    expect(settingsOf(whole)).toEqual({
      source: {
        baseUrl: 'https://api.example.com',
        pathPrefix: '/api/v2',
        authScheme: 'Token',
        includeSoft: false,
        pageSize: null,
        startAt: { kind: 'latest' },
        pollEverySeconds: 5,
        overlapSeconds: 120,
        requestsPerMinute: 60,
      },
      token: 'Zq7-token',
      endpoints: [{ url: 'https://example.com/hooks', secret: null, types: ['*'] }],
      retrySchedule: defaultRetrySchedule,
      deadlineMs: 15_000,
      dataDir: '.bridge',
      allowPrivate: false,
      once: false,
    })
  })

  test('every flag is taken', () => {
    const flags = [
      ['--auth-scheme', 'X-API-Key'],
      ['--path-prefix', '/api/v1/'],
      ['--page-size', '500'],
      ['--include-soft'],
      ['--types', 'email.bounce.*, email.complaint'],
      ['--start-at', '2026-01-31T12:00:00+01:00'],
      ['--poll-every', '0.5'],
      ['--overlap', '0'],
      ['--requests-per-minute', '600'],
      ['--retry-schedule', '500ms,1s,5m'],
      ['--deadline', '2.5'],
      ['--data', '/tmp/somewhere'],
      ['--allow-private-endpoints'],
      ['--secret', secret],
      ['--once'],
    ].flat()
    const settings = settingsOf([...source, '--endpoint', 'http://127.0.0.1:3000', ...flags])
    expect(settings).toEqual({
      source: {
        baseUrl: 'https://api.example.com',
        pathPrefix: '/api/v1',
        authScheme: 'X-API-Key',
        includeSoft: true,
        pageSize: 500,
        startAt: { kind: 'time', second: Date.UTC(2026, 0, 31, 11) / 1000 },
        pollEverySeconds: 0.5,
        overlapSeconds: 0,
        requestsPerMinute: 600,
      },
      token: 'Zq7-token',
      endpoints: [{ url: 'http://127.0.0.1:3000/', secret, types: ['email.bounce.*', 'email.complaint'] }],
      retrySchedule: [500, 1_000, 300_000],
      deadlineMs: 2_500,
      dataDir: '/tmp/somewhere',
      allowPrivate: true,
      once: true,
    })
  })

  test('the token may come from the environment; a flag goes before it', () => {
    const args = ['--source-url', 'https://api.example.com', '--endpoint', 'https://example.com/hooks']
    expect(settingsOf(args, { BRIDGE_API_TOKEN: ' env-token\n' }).token).toBe('env-token')
    expect(settingsOf(whole, { BRIDGE_API_TOKEN: 'env-token' }).token).toBe('Zq7-token')
  })

  test('one secret is for all endpoints, several are for each in their order', () => {
    const two = [...source, '--endpoint', 'https://example.com/a', '--endpoint', 'https://example.com/b']
    const secretsOf = (args: readonly string[]) => settingsOf(args).endpoints.map(endpoint => endpoint.secret)
    expect(secretsOf([...two, '--secret', secret])).toEqual([secret, secret])
    expect(secretsOf([...two, '--secret', secret, '--secret', otherSecret])).toEqual([secret, otherSecret])
  })
})

describe('what is wrong', () => {
  test('everything is told at once, each with what is right', () => {
    const problems = problemsOf([
      ...['--source-url', 'api.example.com', '--auth-scheme', 'Basic', '--page-size', '1001'],
      ...['--endpoint', 'nonsense', '--types', 'email.nothing', '--start-at', 'yesterday', '--poll-every'],
      ...[
        '--retry-schedule',
        '5',
        '--deadline',
        '60',
        '--requests-per-minute',
        '0',
        '--speed',
        '--path-prefix',
        'v2',
      ],
    ])
    expect(problems.map(problem => problem.split(':')[0])).toEqual([
      '--speed',
      '--source-url',
      '--path-prefix',
      '--auth-scheme',
      '--page-size',
      '--start-at',
      '--poll-every',
      '--requests-per-minute',
      '--token',
      '--endpoint',
      '--types',
      '--deadline',
      '--retry-schedule',
    ])
    expect(problems).toContain('--auth-scheme: must be Token, Bearer or X-API-Key')
    expect(problems).toContain('--token: is missing; give it, or set BRIDGE_API_TOKEN in the environment')
  })

  test.each([
    ['a token', [...whole.slice(0, 2), '--token', 'S3cret value', ...whole.slice(4)]],
    ['a signing secret', [...whole, '--secret', 'S3cret']],
    ['what follows a misspelled flag', [...whole, '--tokn', 'S3cret']],
    ['what is joined to a misspelled flag', [...whole, '--tokn=S3cret']],
    ['a stray argument', [...whole, 'S3cret']],
    ['the user of a source', ['--source-url', 'https://S3cret:S3cret@api.example.com', ...whole.slice(2)]],
    ['the user of an endpoint', [...source, '--endpoint', 'https://S3cret@example.com/']],
    ['the path of an endpoint', [...source, '--endpoint', 'http://example.com/S3cret']],
  ])('%s is never repeated', (_, args) => {
    const problems = problemsOf(args)
    expect(problems.length).toBeGreaterThan(0)
    expect(problems.join('\n')).not.toContain('S3cret')
  })

  test('an endpoint that only the laptop flag allows names that flag', () => {
    const [problem] = problemsOf([...source, '--endpoint', 'http://localhost:3000/'])
    expect(problem).toContain('--allow-private-endpoints')
    const always = problemsOf([...source, '--endpoint', 'ftp://example.com/'])
    expect(always.join()).not.toContain('--allow-private-endpoints')
  })

  test('types that are none are all named, and the types that there are once', () => {
    const [problem, ...more] = problemsOf([...whole, '--types', 'x,email.complaint,y'])
    expect(more).toEqual([])
    expect(problem).toMatch(
      /^--types: "x", "y" are no types of event\. Each must be one of email\.bounce\.hard, /,
    )
    expect(problem?.match(/email\.bounce\.hard/g)).toHaveLength(1)
  })

  test('a path after the source belongs to its own flag', () => {
    const [problem] = problemsOf(['--source-url', 'https://api.example.com/api/v2', ...whole.slice(2)])
    expect(problem).toContain('--path-prefix')
  })

  test.each([[['--types', '*']], [['--include-soft']], [['--secret', secret]]])(
    '%j is of a source or an endpoint that is not named',
    args => {
      expect(problemsOf(args).map(problem => problem.split(':')[0])).toEqual([
        '--source-url',
        '--token',
        '--endpoint',
      ])
    },
  )

  test('a flag given twice, an endpoint given twice, and secrets that do not fit are told', () => {
    expect(problemsOf([...whole, '--data', 'a', '--data', 'b'])).toEqual([
      '--data: is given 2 times; give it once',
    ])
    expect(problemsOf([...whole, '--endpoint', 'https://EXAMPLE.com/hooks'])).toEqual([
      '--endpoint (no. 2): is given twice; give each endpoint once',
    ])
    expect(problemsOf([...whole, '--secret', secret, '--secret', otherSecret])).toEqual([
      '--secret: is given 2 times for 1 endpoints; give it once for all, or once for each',
    ])
  })
})
