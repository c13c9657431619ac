import { Writable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { createJsonLines, pendingCharsMax } from '../../../infra/local/json-lines.ts'
import { attempt, enqueued, waiting } from './happenings.ts'

const clock = { now: () => Date.UTC(2026, 10, 20, 9) }

/** A reader that takes nothing until it is told to. */
const createReader = ({ paused = false } = {}) => {
  const chunks: string[] = []
  const held: (() => void)[] = []
  const out = new Writable({
    write: (chunk, _encoding, done) => {
      chunks.push(String(chunk))
      if (paused) held.push(done)
      else done()
    },
  })
  const lines = (): unknown[] =>
    chunks
      .join('')
      .split('\n')
      .filter(text => text !== '')
      .map(text => JSON.parse(text))
  return { out, lines, read: () => held.shift()?.(), chunks }
}

describe('--json', () => {
  test('every line has the fields that each has, null where they say nothing', async () => {
    const reader = createReader()
    const json = createJsonLines(reader.out, clock)
    json.report({ kind: 'endpoint_disabled', endpoint: 'ep_1', reason: 'answered_410' })
    json.report(waiting('evt_1'))
    await json.flush()
    const at = '2026-11-20T09:00:00.000Z'
    expect(reader.lines()).toEqual([
      {
        ...{ at, kind: 'endpoint_disabled', event: null, endpoint: 'ep_1', attempt: null },
        ...{ status: null, reason: 'answered_410' },
      },
      {
        ...{ at, kind: 'waiting', event: 'evt_1', endpoint: 'ep_1', attempt: 1, round: 1 },
        ...{ status: 503, reason: 'http_503', retryAtMs: 9_000 },
      },
    ])
  })

  test('enqueued is one line for each endpoint, and one with none for an event that nobody wants', async () => {
    const reader = createReader()
    const json = createJsonLines(reader.out, clock)
    json.report(enqueued('evt_1', ['ep_1', 'ep_2']))
    json.report(enqueued('evt_2', []))
    await json.flush()
    expect(reader.lines()).toMatchObject([
      { kind: 'enqueued', event: 'evt_1', endpoint: 'ep_1', attempt: null, status: null, reason: null },
      { kind: 'enqueued', event: 'evt_1', endpoint: 'ep_2' },
      { kind: 'enqueued', event: 'evt_2', endpoint: null },
    ])
  })

  test('lines of one turn of the event loop are one write', async () => {
    const reader = createReader()
    const json = createJsonLines(reader.out, clock)
    for (let index = 0; index < 100; index += 1) json.report(attempt(`evt_${index}`, 200))
    await json.flush()
    expect(reader.chunks).toHaveLength(1)
    expect(reader.lines()).toHaveLength(100)
  })

  test('a reader that is behind keeps more from being taken in hand until it has read', async () => {
    const reader = createReader({ paused: true })
    const json = createJsonLines(reader.out, clock)
    await json.admission()
    const enough = Math.ceil(pendingCharsMax / 100)
    for (let index = 0; index < enough; index += 1) json.report(attempt(`evt_${index}`, 200))
    let admitted = false
    const admission = json.admission().then(() => {
      admitted = true
    })
    await new Promise(resolve => setImmediate(resolve))
    expect(admitted).toBe(false)
    reader.read()
    await admission
    expect(reader.lines()).toHaveLength(enough)
  })

  test('a reader that is gone holds up nothing', async () => {
    const out = new Writable({ write: (_chunk, _encoding, done) => done(new Error('EPIPE')) })
    out.on('error', () => undefined)
    const json = createJsonLines(out, clock)
    for (let index = 0; index < 30_000; index += 1) json.report(attempt(`evt_${index}`, 200))
    await json.flush()
    await json.admission()
    expect(out.destroyed).toBe(true)
  })
})
