import { afterEach, describe, expect, it, vi } from 'vitest'
import { InvocationError } from '../../../shared/adapters/telemetry/invocation-error.ts'
import { createTelemetry } from '../../../shared/adapters/telemetry/telemetry.ts'
import { BridgeError } from '../../../shared/domain/bridge-error.ts'
import { contextOf, createHarness, metricsOf } from './harness.ts'
import { samples } from './samples.ts'

afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

class TableError extends BridgeError {}
const ours = () =>
  new TableError({
    ...{ code: 'table_unavailable', message: 'The table is away.', hint: 'Look at it.' },
    cause: new Error('jo@example.com'),
  })

/** A stack is made when it is first asked for, and keeps the message of that time. */
const withChangedMessage = (): Error => {
  const error = new Error('\n at jo@example.com')
  return error.stack === undefined ? error : Object.assign(error, { message: 'changed' })
}

/** What a handler that throws is left with. */
const failure = async (harness: ReturnType<typeof createHarness>, error: unknown): Promise<unknown> => {
  try {
    await harness.invoke(reporter => {
      reporter.report(samples.dead)
      throw error
    })
  } catch (thrown) {
    return thrown
  }
  return undefined
}

describe('around a handler', () => {
  it('event, context and result pass as they are', async () => {
    const { around } = createHarness()
    const context = contextOf()
    const handler = around(async (event: { n: number }, given) => ({
      n: event.n + 1,
      same: given === context,
    }))
    expect(await handler({ n: 1 }, context)).toEqual({ n: 2, same: true })
  })

  it('metrics are published once, after all else', async () => {
    const harness = createHarness()
    await harness.tell([samples.dead, samples.enqueued])
    expect(harness.written.map(line => line.includes('"_aws"'))).toEqual([false, false, true])
  })

  it('an error of ours is one line with its code, message, hint and place, and is thrown on as it is', async () => {
    const harness = createHarness('ERROR')
    const error = ours()
    expect(await failure(harness, error)).toBe(error)
    expect(harness.lines()).toEqual([
      expect.objectContaining({
        ...{ level: 'ERROR', message: 'invocation_failed', function_request_id: 'request-1' },
        ...{ reason: 'table_unavailable', detail: 'The table is away.', hint: 'Look at it.' },
        frames: expect.arrayContaining([expect.stringMatching(/^at .*around\.test\.ts:\d+:\d+\)?$/)]),
      }),
    ])
    expect(harness.written.join()).not.toContain('@')
  })

  it('metrics are published of an invocation that fails', async () => {
    const harness = createHarness('ERROR')
    await failure(harness, ours())
    expect(metricsOf(harness.blobs())).toEqual([
      { dimensions: { service: 'bridge' }, metrics: { DeadLettered: 1 } },
    ])
  })

  it('a foreign error is told of by class and place, and leaves without its message', async () => {
    const harness = createHarness('ERROR')
    const error = Object.assign(new TypeError('bad: jo@example.com\n    at jo@example.com:1:1'), {
      request: 'jo@example.com',
    })
    const thrown = await failure(harness, error)
    expect(thrown).toBeInstanceOf(InvocationError)
    // What Lambda's runtime would print of it and hand on.
    const printed = thrown instanceof Error ? [thrown.message, thrown.stack, { ...thrown }] : []
    const hint = expect.stringMatching(
      /^An unexpected TypeError at around\.test\.ts:\d+; please report it\.$/,
    )
    expect(printed[2]).toMatchObject({ code: 'unexpected', hint })
    expect(harness.lines()).toEqual([
      expect.objectContaining({ level: 'ERROR', message: 'invocation_failed', reason: 'unexpected', hint }),
    ])
    expect(harness.lines()[0]).not.toHaveProperty('detail')
    expect(JSON.stringify(printed) + harness.written.join()).not.toContain('@')
  })

  it.each([
    { what: 'a thrown text', error: 'jo@example.com' },
    {
      what: 'an error without a stack',
      error: Object.assign(new Error('jo@example.com'), { stack: undefined }),
    },
    {
      what: 'an error whose message was changed',
      error: withChangedMessage(),
    },
    { what: 'nothing', error: undefined },
  ])('$what is no less an error', async ({ error }) => {
    const harness = createHarness('ERROR')
    expect(await failure(harness, error)).toBeInstanceOf(InvocationError)
    expect(harness.lines()).toMatchObject([{ message: 'invocation_failed', reason: 'unexpected' }])
    expect(harness.written.join()).not.toContain('@')
  })

  it('an error is the one of the handler, even where nothing can be written', async () => {
    const write = () => {
      throw new Error('EPIPE')
    }
    const { around } = createTelemetry({ service: 'bridge', logLevel: 'INFO', write })
    const error = ours()
    const handler = around(() => Promise.reject(error))
    await expect(handler({}, contextOf())).rejects.toBe(error)
  })

  it('an invocation after one that failed to be published begins anew', async () => {
    const written: string[] = []
    let fails = true
    const write = (line: string) => {
      if (fails) throw new Error('EPIPE')
      written.push(line)
    }
    const { around, reporter } = createTelemetry({ service: 'bridge', logLevel: 'ERROR', write })
    const handler = around(async () => reporter.report(samples.stream_state))
    await handler({}, contextOf())
    fails = false
    await handler({}, contextOf())
    expect(written.map(line => JSON.parse(line).SinceCompleteWalk)).toEqual([4.5, 4.5])
  })
})

describe('an idle invocation', () => {
  const zeroWhenIdle = ['sinceCompleteWalk'] as const
  const published = async (act: Parameters<ReturnType<typeof createHarness>['invoke']>[0]) => {
    const harness = createHarness('ERROR')
    await harness.invoke(act, { zeroWhenIdle }).catch(() => undefined)
    return metricsOf(harness.blobs())
  }

  it('publishes the zeros that it is asked for, of no source and stream', async () => {
    expect(await published(() => undefined)).toEqual([
      { dimensions: { service: 'bridge' }, metrics: { SinceCompleteWalk: 0 } },
    ])
  })

  it('is not one in which something happened: its zero would hide a stream that stands still', async () => {
    expect(await published(reporter => reporter.report(samples.poll_fault))).toEqual([
      { dimensions: { service: 'bridge' }, metrics: { PollFaults: 1 } },
    ])
  })

  it('is not one that failed: an alarm is to ring for the missing data', async () => {
    const fails = () => {
      throw ours()
    }
    expect(await published(fails)).toEqual([])
  })

  it('may follow one in which much happened', async () => {
    const harness = createHarness('ERROR')
    await harness.tell([samples.stream_state], { zeroWhenIdle })
    await harness.tell([], { zeroWhenIdle })
    const all = harness.blobs().filter(({ dimensions }) => !('stream' in dimensions))
    expect(all.map(({ metrics }) => metrics)).toEqual([{ SinceCompleteWalk: 4.5 }, { SinceCompleteWalk: 0 }])
  })
})

describe('stdout', () => {
  it('takes a line for each thing told of, those of metrics too, and nothing goes elsewhere', async () => {
    const taken: unknown[] = []
    vi.spyOn(process.stdout, 'write').mockImplementation(text => taken.push(text) > 0)
    const others = [
      vi.spyOn(process.stderr, 'write'),
      ...(['log', 'info', 'warn', 'error', 'debug'] as const).map(name => vi.spyOn(console, name)),
    ]
    const { around, reporter } = createTelemetry({ service: 'bridge', logLevel: 'INFO' })
    await around(async () => reporter.report(samples.dead))({}, contextOf())
    await around(async () => undefined)({}, contextOf())
    const lines = taken.map(text => String(text))
    const used = others.map(spy => spy.mock.calls.length)
    vi.restoreAllMocks()
    expect(lines.map(line => line.endsWith('\n') && line.indexOf('\n') === line.length - 1)).toEqual([
      true,
      true,
    ])
    expect(lines.map(line => Object.keys(JSON.parse(line))[0])).toEqual(['level', '_aws'])
    expect(used).toEqual(others.map(() => 0))
  })
})
