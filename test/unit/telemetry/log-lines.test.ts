import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { levelOf } from '../../../shared/adapters/telemetry/log-lines.ts'
import { createTelemetry } from '../../../shared/adapters/telemetry/telemetry.ts'
import type { Happening } from '../../../shared/domain/happenings.ts'
import { contextOf, createHarness } from './harness.ts'
import { allSamples, type Kind, samples } from './samples.ts'

const at = '2026-11-20T09:30:00.000Z'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date(at) })
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllEnvs()
})

const envelope = { timestamp: at, service: 'bridge', cold_start: false, function_request_id: 'request-1' }

/** What a line of a happening is to hold: its own fields, without those that are null, and nothing else. */
const expected = ({ kind, ...fields }: Happening, level: string) => ({
  ...{ level, message: kind, ...envelope },
  ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)),
})

const levels: Record<Kind, string> = {
  ...{ poll: 'INFO', poll_fault: 'WARN', anchor_lost: 'WARN', sweep_behind: 'WARN', stream_state: 'INFO' },
  ...{ enqueued: 'INFO', quarantined: 'WARN', attempt: 'INFO', delivered: 'DEBUG', waiting: 'DEBUG' },
  ...{ held: 'INFO', dead: 'WARN', cancelled: 'INFO', duplicate: 'INFO', fault: 'WARN' },
  ...{
    unreadable_message: 'WARN',
    endpoint_disabled: 'WARN',
    operator_told: 'INFO',
    endpoint_lane: 'INFO',
    heartbeat: 'INFO',
    breaker: 'WARN',
    released: 'INFO',
  },
  ...{ reconciled: 'INFO', endpoint_backlog: 'INFO', backlog: 'INFO' },
}

describe('a line', () => {
  it.each(allSamples)('of $kind has its fields by their names, and none added', async happening => {
    const harness = createHarness()
    await harness.tell([happening])
    expect(harness.lines()).toEqual([expected(happening, levels[happening.kind])])
  })

  it('begins with level, kind and time, for a person who reads it', async () => {
    const harness = createHarness()
    await harness.tell([samples.enqueued])
    expect(harness.written[0]).toBe(
      `{"level":"INFO","message":"enqueued","timestamp":"${at}","service":"bridge","cold_start":false,` +
        '"function_request_id":"request-1","source":"main","stream":"bounces","event":"evt_01",' +
        '"type":"email.bounce.hard","endpoints":["crm","audit"],"ageMs":8000}',
    )
  })

  it('has no field that the logger would take for its own', () => {
    const names = allSamples.flatMap(happening => Object.keys(happening))
    const own = ['level', 'message', 'timestamp', 'service', 'sampling_rate', 'cold_start', 'error']
    expect(names.filter(name => own.includes(name) || name.startsWith('function_'))).toEqual([])
  })

  it('of a poll that failed is a warning, whatever failed', async () => {
    const failed: Happening = {
      ...samples.poll,
      ...{ outcome: 'failed', reason: 'token_refused', status: 401 },
      ...{ detail: 'The service said: no', hint: 'Give it a token.' },
    }
    const harness = createHarness()
    await harness.tell([failed])
    expect(harness.lines()).toEqual([expected(failed, 'WARN')])
    const others = ['complete', 'unfinished', 'superseded'] as const
    expect(others.map(outcome => levelOf({ ...samples.poll, outcome }))).toEqual(['info', 'info', 'info'])
  })

  it('is written from the level on that is asked for', async () => {
    const written = async (logLevel: 'INFO' | 'WARN' | 'ERROR') => {
      const harness = createHarness(logLevel)
      await harness.tell(allSamples)
      return harness.lines().length
    }
    const ofLevel = (level: string) => Object.values(levels).filter(one => one === level).length
    expect(await written('INFO')).toBe(allSamples.length - ofLevel('DEBUG'))
    expect(await written('WARN')).toBe(ofLevel('WARN'))
    expect(await written('ERROR')).toBe(0)
  })

  it('says which invocation it is of, and whether that was the first of its process', async () => {
    vi.stubEnv('AWS_LAMBDA_INITIALIZATION_TYPE', 'on-demand')
    const harness = createHarness()
    const handler = harness.around(async () => harness.reporter.report(samples.dead))
    await handler({}, contextOf('one'))
    await handler({}, contextOf('two'))
    expect(harness.lines()).toEqual([
      { ...expected(samples.dead, 'WARN'), function_request_id: 'one', cold_start: true },
      { ...expected(samples.dead, 'WARN'), function_request_id: 'two', cold_start: false },
    ])
  })
})

describe('the reporter', () => {
  const data = (): never => {
    throw new TypeError('jo@example.com')
  }
  const circular: { self?: unknown } & typeof samples.dead = { ...samples.dead }
  circular.self = circular
  const withGetter = {
    ...samples.dead,
    get reason(): string {
      return data()
    },
  }
  const withToJson = { ...samples.dead, extra: { toJSON: data } }

  it('takes what no line can hold without throwing, and says so without its data', async () => {
    const harness = createHarness()
    await harness.tell([withGetter, withToJson])
    expect(harness.lines()).toMatchObject([
      { level: 'WARN', message: 'telemetry_fault', what: 'line', reason: 'unexpected' },
      { level: 'WARN', message: 'telemetry_fault', what: 'line', reason: 'unexpected' },
    ])
    expect(harness.written.join()).not.toContain('@')
  })

  it('takes what can not be measured without throwing', () => {
    const harness = createHarness()
    const happening = {
      ...samples.attempt,
      get tookMs(): number {
        return data()
      },
    }
    harness.reporter.report(happening)
    expect(harness.lines()).toMatchObject([
      { message: 'telemetry_fault', what: 'metrics' },
      { message: 'telemetry_fault', what: 'line' },
    ])
  })

  it('counts what no line can hold', async () => {
    const harness = createHarness()
    await harness.tell([withGetter, withToJson])
    expect(harness.blobs().map(({ metrics }) => metrics)).toEqual([{ DeadLettered: 2 }])
  })

  it('writes what leads to itself, and big integers, as far as JSON goes', async () => {
    const harness = createHarness()
    const big = { ...samples.dead, bytes: 12n }
    await harness.tell([circular, big])
    expect(harness.lines()).toMatchObject([{ message: 'dead' }, { message: 'dead', bytes: '12' }])
  })

  it('lets nothing out where nothing can be written', async () => {
    const write = () => {
      throw new Error('EPIPE')
    }
    const { reporter, around } = createTelemetry({ service: 'bridge', logLevel: 'DEBUG', write })
    for (const sample of allSamples) reporter.report(sample)
    expect(await around(async () => 'done')({}, contextOf())).toBe('done')
  })
})
