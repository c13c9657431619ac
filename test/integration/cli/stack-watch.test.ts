import { describe, expect, test } from 'vitest'
import { type RunningSimulator, startSimulator } from '../../../infra/simulator/server.ts'
import { createCursorStore } from '../../../shared/adapters/dynamodb/cursor-store.ts'
import { createRunLease } from '../../../shared/adapters/dynamodb/run-lease.ts'
import { emptyCursor } from '../../../shared/domain/polling/cursor.ts'
import { type StreamName, streamNames } from '../../../shared/domain/source.ts'
import { jsonOf } from './bridge-command.ts'
import { deadOf } from './dead-letters.ts'
import { findingsOf, listsOf, outcomesOf, textOf, wellOf, wrongOf } from './doctor-findings.ts'
import { openDocumentTable } from './document-table.ts'
import { deliveryOf, endpointOf, loggedEvent, openTable, sourceOf } from './filled-table.ts'
import { fill } from './held-services.ts'
import { holdStack, master, prefix, publicUrl } from './stack-stand-in.ts'

const nowMs = Date.now()
const nowSecond = Math.floor(nowMs / 1_000)
const minuteMs = 60_000

/** A stack with a source for each of the services. */
const holdWatched = async (
  services: Readonly<Record<string, { service: RunningSimulator; token: string }>>,
) => {
  await using opening = new AsyncDisposableStack()
  const tokens = Object.entries(services).map(([id, { token }]) => [`token-${id}`, token])
  const held = opening.use(await holdStack(Object.fromEntries(tokens)))
  const table = opening.use(openTable(held.emulators))
  const document = opening.use(openDocumentTable(held.emulators))
  const lease = createRunLease(document)
  const cursors = createCursorStore(document)
  for (const [id, { service }] of Object.entries(services)) {
    await table.sources.put({ ...sourceOf(id), baseUrl: service.url })
    opening.defer(() => service.close())
  }
  const disposables = opening.move()
  return {
    ...held,
    table,
    ran: (sourceId: string, agoMs: number) => lease.take({ sourceId, runId: 'r', atMs: nowMs - agoMs }),
    walked: (sourceId: string, stream: StreamName, agoMs: number) =>
      cursors.commit(
        { sourceId, stream, name: 'main' },
        { ...emptyCursor, floorSecond: 0, lastCompleteWalkAtMs: nowMs - agoMs },
        null,
      ),
    [Symbol.asyncDispose]: () => disposables.disposeAsync(),
  }
}

/** Lines as a person reads them: cells in a row, without what pads them. */
const rowsOf = (text: string): string[][] =>
  text
    .trimEnd()
    .split('\n')
    .map(line => line.split(/ {2,}/))

describe('a stack that is well', { timeout: 90_000 }, () => {
  test('is shown by status, and doctor finds nothing wrong', async () => {
    const service = await startSimulator()
    fill(service)
    await using stack = await holdWatched({ main: { service, token: service.token } })
    await stack.ran('main', 10_000)
    for (const stream of streamNames) await stack.walked('main', stream, 12_000)
    await stack.table.endpoints.put(endpointOf('crm', { url: publicUrl }))
    const event = loggedEvent({ second: nowSecond - 60, uuid: 'e' })
    await stack.table.log.record([event])
    await stack.table.store.write(deliveryOf(event), { kind: 'unsettled_before', rank: 9 })

    const shown = await stack.bridge('status')
    expect([shown.code, shown.stderr]).toEqual([0, ''])
    const walked = expect.stringMatching(/^[\d.]+ s ago$/)
    const lag = expect.stringMatching(/^[\d.]+ s$/)
    expect(rowsOf(shown.stdout)).toEqual([
      [expect.stringMatching(/^Stack feedback-bridge, 2\S+ \S+Z$/)],
      [''],
      ['SOURCE', 'STREAM', 'STATE', 'LAST WALK', 'LAG', 'BUDGET', 'LAST DAY', 'EVENTS'],
      ['main', 'bounces', 'ok', walked, lag, '48/48', '▁▁▁▁▁▁▁█', '1'],
      ['', 'complaints', 'ok', walked, lag, '▁▁▁▁▁▁▁▁', '0'],
      [''],
      ['ENDPOINT', 'STATE', 'RECENT', 'SUCCESS', 'WAITING', 'HELD', 'DEAD', 'OLDEST'],
      ['crm', 'active', expect.any(String), '100 %', '0', '0', '0', '-'],
      [''],
      ['QUEUE', 'READY', 'IN FLIGHT', 'DELAYED'],
      ['fast', '0', '0', '0'],
      ['slow', '0', '0', '0'],
      ['dead-letters', '0', '0', '0'],
      ['failed-runs', '0', '0', '0'],
      [''],
      ['All is well.'],
    ])
    const { at, sources, ...status } = jsonOf(await stack.bridge('status --json'))
    expect(new Date(at).toISOString()).toBe(at)
    const nothing = { count: 0, atLeast: false, oldestEvent: null }
    const empty = { ready: 0, inFlight: 0, delayed: 0, problem: null }
    const names = ['fast', 'slow', 'dead-letters', 'failed-runs']
    expect(status).toEqual({
      bridge: { kind: 'stack', stack: prefix },
      endpoints: [
        {
          ...{ id: 'crm', state: 'active', stateReason: null, lane: 'fast', problem: null },
          recent: { deliveries: 1, delivered: 1 },
          health: expect.objectContaining({ breaker: 'closed', failuresInRow: 0 }),
          deliveries: { waiting: nothing, held: nothing, dead: nothing },
        },
      ],
      queues: names.map(name => ({ name, ...empty })),
    })
    const byHour = (last: number) => Array.from({ length: 24 }, (_, hour) => (hour === 23 ? last : 0))
    const streamOf = (stream: StreamName, events: number) => ({
      ...{ stream, state: 'ok', failingSince: null, newestRecord: null, walkUnderWay: false },
      lastCompleteWalk: new Date(nowMs - 12_000).toISOString(),
      lagSeconds: expect.any(Number),
      lastDay: { events, atLeast: false, byHour: byHour(events) },
    })
    expect(sources).toEqual([
      {
        ...{ id: 'main', state: 'active', problem: null },
        lastRun: new Date(nowMs - 10_000).toISOString(),
        budget: { left: 48, of: 48, notBefore: null },
        streams: [streamOf('bounces', 1), streamOf('complaints', 0)],
      },
    ])

    const looked = await stack.bridge('doctor --json')
    expect([looked.code, looked.stderr, jsonOf(looked).healthy]).toEqual([0, '', true])
    expect(outcomesOf(findingsOf(looked))).toEqual([
      ['credentials', '', 'ok'],
      ['stack', prefix, 'ok'],
      ['table', '', 'ok'],
      ['schedules', 'poller, main', 'ok'],
      ['schedules', 'releaser', 'ok'],
      ['schedules', 'reconcile, main', 'ok'],
      ['queues', 'fast', 'ok'],
      ['queues', 'slow', 'ok'],
      ['queues', 'dead letters', 'ok'],
      ['dead letters', '', 'ok'],
      ['secrets', 'signing-master', 'ok'],
      ['secrets', 'token-main', 'ok'],
      ['secrets', '', 'ok'],
      ...listsOf('token', 'main'),
      ...wellOf('main'),
      ...listsOf('order', 'main'),
      ...listsOf('last_id', 'main'),
      ['endpoint', 'crm', 'ok'],
    ])
    for (const finding of findingsOf(looked)) {
      expect(Object.keys(finding)).toEqual(['check', 'of', 'outcome', 'text', 'mend'])
    }
    for (const { stdout } of [shown, looked]) {
      for (const secret of [service.token, master]) expect(stdout).not.toContain(secret)
    }
  })
})

describe('a stack that is ill', { timeout: 90_000 }, () => {
  test('is told in words by status, and doctor says of each fault what to do, and ends with 1', async () => {
    const refusing = await startSimulator({ token: 'another' })
    const ahead = await startSimulator({ now: () => Date.now() + 10 * minuteMs })
    fill(ahead)
    await using stack = await holdWatched({
      ahead: { service: ahead, token: ahead.token },
      refusing: { service: refusing, token: 'token-that-is-refused' },
    })
    await stack.ran('ahead', 10_000)
    await stack.walked('ahead', 'bounces', 10_000)
    await stack.walked('ahead', 'complaints', 10_000)
    // The poller has not run for minutes.
    await stack.ran('refusing', 9 * minuteMs)
    await stack.walked('refusing', 'bounces', 9 * minuteMs)
    await stack.table.endpoints.put(endpointOf('crm', { url: publicUrl }))
    await stack.table.endpoints.put(endpointOf('inside', { url: 'https://127.0.0.1/' }))
    const events = [1, 2, 3].map(at => loggedEvent({ second: nowSecond - 7_200 - at, uuid: `e${at}` }))
    await stack.table.log.record(events)
    for (const event of events) {
      await stack.table.store.write(deadOf(event), { kind: 'unsettled_before', rank: 99 })
    }
    await stack.failRun()

    const looked = await stack.bridge('doctor --json')
    expect([looked.code, looked.stderr, jsonOf(looked).healthy]).toEqual([1, '', false])
    const findings = findingsOf(looked)
    expect(wrongOf(findings).filter(([, , outcome]) => outcome !== 'skipped')).toEqual([
      ['schedules', 'poller, refusing', 'failed'],
      ['dead letters', 'crm', 'failed'],
      ['token', 'refusing, bounces', 'failed'],
      ['token', 'refusing, complaints', 'failed'],
      ['contacts key', 'refusing', 'failed'],
      ['clock', 'ahead', 'failed'],
      ['endpoint', 'inside', 'failed'],
    ])
    const mendOf = (check: string, of: string) =>
      findings.find(finding => finding.check === check && finding.of === of)?.mend
    expect(textOf(findings, 'schedules', 'poller, refusing')).toBe('the last run began 9 min ago')
    expect(mendOf('schedules', 'poller, refusing')).toMatch(
      /^Look at the log of the function feedback-bridge-poller and at the schedules of feedback-bridge\./,
    )
    expect(textOf(findings, 'dead letters', 'crm')).toBe('3 given up, the oldest of an event of 2.0 h ago')
    expect(mendOf('dead letters', 'crm')).toContain('bridge dlq list --endpoint crm shows them')
    expect(textOf(findings, 'token', 'refusing, bounces')).toContain(' was answered 401')
    expect(mendOf('token', 'refusing, bounces')).not.toBe('')
    expect(textOf(findings, 'clock', 'ahead')).toMatch(/ ahead of this machine's$/)
    expect(mendOf('clock', 'ahead')).toMatch(/NTP/)
    expect(mendOf('endpoint', 'inside')).not.toBe('')

    const told = await stack.bridge('doctor')
    expect([told.code, told.stderr, rowsOf(told.stdout).at(-1)]).toEqual([1, '', ['7 failed, 0 warnings.']])
    for (const { outcome, check, of, text, mend } of findings) {
      if (outcome !== 'failed') continue
      const rest = `${text}. ${mend}`
      expect(rowsOf(told.stdout)).toContainEqual([
        outcome,
        check,
        of,
        // What took how long differs from one time to the next.
        check === 'clock' ? expect.stringContaining(String(mend)) : rest,
      ])
    }
    const shown = await stack.bridge('status')
    expect(shown.code).toBe(0)
    const problems = rowsOf(shown.stdout).slice(
      rowsOf(shown.stdout).findLastIndex(([cell]) => cell === '') + 1,
    )
    expect(problems.map(([line]) => line)).toEqual([
      expect.stringMatching(/^refusing, bounces: the last run began \S+ \S+ \(9 min ago\); bridge doctor/),
      expect.stringMatching(/^refusing, complaints: the last run began \S+ \S+ \(9 min ago\); bridge doctor/),
      'crm: 3 dead; bridge dlq list --endpoint crm shows them.',
      'Scheduled runs could not be started: see RUNBOOK.md.',
    ])
    for (const { stdout } of [looked, told, shown]) {
      for (const secret of ['token-that-is-refused', ahead.token, master])
        expect(stdout).not.toContain(secret)
    }
  })
})
