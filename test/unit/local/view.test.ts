import picocolors from 'picocolors'
import { describe, expect, test } from 'vitest'
import { createLastAttempts } from '../../../infra/local/last-attempts.ts'
import { createTally } from '../../../infra/local/tally.ts'
import { isLive } from '../../../infra/local/terminal.ts'
import { type DemoState, renderDemo } from '../../../infra/local/view.ts'
import { attempt, delivered, poll } from './happenings.ts'

const state = (of: Partial<DemoState> = {}): DemoState => {
  const tally = createTally()
  const attempts = createLastAttempts(() => 0)
  for (const happening of [
    poll({ read: 3 }),
    attempt('evt_1', 200),
    delivered('evt_1'),
    attempt('evt_2', null, 'timeout'),
  ]) {
    tally.report(happening)
    attempts.report(happening)
  }
  return {
    sourceUrl: 'http://127.0.0.1:1/api/v2',
    receiverUrl: 'http://127.0.0.1:2',
    pathOf: () => '/webhooks',
    domainOf: event => (event === 'evt_1' ? 'example.com' : null),
    counts: tally.counts(),
    verified: 1,
    wrong: 0,
    attempts: attempts.list(),
    runningMs: 61_000,
    notes: [],
    ...of,
  }
}

const plain = { columns: 100, colors: picocolors.createColors(false) }

describe("the demo's view", () => {
  test('shows the counts, the ages, the signatures and the last attempts, the newest first', () => {
    const lines = renderDemo(state(), plain).split('\n')
    expect(lines).toEqual([
      'feedback bridge demo · 01:01 · Ctrl-C stops it',
      '  http://127.0.0.1:1/api/v2 → bridge → http://127.0.0.1:2',
      '',
      '  read 3     enqueued 0     delivered 1     waiting 0     held 0     dead 0   ',
      '  age at delivery   half within 2.0 s, at most 2.0 s (last 1)',
      '  signatures        1 verified, none wrong',
      '',
      '  time      type                 recipient at        endpoint  answer  age',
      expect.stringMatching(
        /^ {2}\d\d:\d\d:\d\d {2}email.bounce.hard {4}\(no domain\) {9}\/webhooks timeout 2.0 s$/,
      ),
      expect.stringMatching(
        /^ {2}\d\d:\d\d:\d\d {2}email.bounce.hard {4}example.com {9}\/webhooks 200 {5}2.0 s$/,
      ),
    ])
  })

  test('fits a terminal of 80 columns', () => {
    const wide = renderDemo(state(), { ...plain, columns: 1_000 })
    expect(renderDemo(state(), { ...plain, columns: 80 })).toBe(wide)
  })

  test('is never wider than the terminal', () => {
    const lines = renderDemo(state({ notes: ['x'.repeat(300)] }), { ...plain, columns: 40 }).split('\n')
    expect(Math.max(...lines.map(line => line.length))).toBe(39)
  })

  test('keeps the newest eight attempts', () => {
    const attempts = createLastAttempts(() => 0)
    for (let index = 0; index < 20; index += 1) attempts.report(attempt(`evt_${index}`, 200))
    expect(attempts.list().map(({ event }) => event)).toEqual(
      [19, 18, 17, 16, 15, 14, 13, 12].map(index => `evt_${index}`),
    )
  })

  test('is drawn on a terminal, and not on a pipe or a dumb one', () => {
    expect([
      isLive({ isTTY: true }, { TERM: 'xterm' }),
      isLive({}, {}),
      isLive({ isTTY: true }, { TERM: 'dumb' }),
    ]).toEqual([true, false, false])
  })
})
