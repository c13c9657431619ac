import { afterAll, expect, test } from 'vitest'
import type { Mistake } from './interleavings/actors.ts'
import { type Explored, explore } from './interleavings/explore.ts'
import * as mistakes from './interleavings/mistakes.ts'
import type { Scenario } from './interleavings/world.ts'

const secondMs = 1_000
const minuteMs = 60_000

const scenario = (of: Partial<Scenario>): Scenario => ({
  answers: ['ok'],
  schedule: [5 * secondMs],
  endpointState: 'active',
  slow: false,
  secretThere: true,
  repaired: false,
  operator: null,
  local: false,
  ...of,
})

const failsOnce: Partial<Scenario> = { answers: ['fail', 'ok'] }
const byTheTable: Partial<Scenario> = { ...failsOnce, schedule: [30 * minuteMs] }
const dies: Partial<Scenario> = { answers: ['fail', 'fail', 'ok'] }
const diesLate: Partial<Scenario> = { answers: ['fail', 'fail', 'fail', 'ok'] }
const threeAttempts: Partial<Scenario> = {
  answers: ['fail', 'fail', 'fail', 'ok'],
  schedule: [5 * secondMs, 30 * minuteMs],
}
const disabled: Partial<Scenario> = { endpointState: 'disabled', repaired: true }
const local = true

const explored: Explored[] = []
afterAll(() => {
  const sum = (of: (one: Explored) => number): string =>
    explored.reduce((total, one) => total + of(one), 0).toLocaleString('en')
  console.info(
    `interleavings: ${sum(one => one.states)} states, ${sum(one => one.steps)} steps between them, ` +
      `${sum(one => one.ends)} ends, ${sum(one => one.stands)} points to stop the code in`,
  )
})

const timeoutMs = 120_000

test.each<[string, Partial<Scenario>, number]>([
  ['is accepted at once', {}, 2],
  ['goes over to the slow lane', { slow: true }, 2],
  ['is tried again by the queue', failsOnce, 2],
  ['is tried again by the table', byTheTable, 2],
  ['dies, and may be redriven', dies, 2],
  ['is tried by the queue and by the table, dies, and may be redriven', threeAttempts, 1],
  [
    'meets a 410, and is released once its endpoint is enabled',
    { answers: ['gone', 'ok'], repaired: true },
    2,
  ],
  ['is held for a disabled endpoint, and released once that is enabled', disabled, 2],
  ['is held for a missing key, and released once that is there', { secretThere: false, repaired: true }, 1],
  ['is for a removed endpoint', { endpointState: 'removed' }, 2],
  ['may lose its endpoint to being disabled', { operator: 'disables', repaired: true }, 2],
  ['may lose its endpoint for good', { operator: 'removes' }, 2],
  ['is accepted at once by a process that may be killed', { local }, 2],
  ['is tried again by the queue of a process that may be killed', { ...failsOnce, local }, 2],
  ['is tried again by the table of a process that may be killed', { ...byTheTable, local }, 2],
  ['dies in a process that may be killed', { ...threeAttempts, local }, 1],
  ['is held by a process that may be killed', { ...disabled, local }, 2],
])(
  'a delivery that %s is never stranded, and never POSTed again without a fault',
  async (_, of, faultsMax) => {
    const result = await explore({ scenario: scenario(of), faultsMax })
    explored.push(result)
    expect(result.violation).toBeNull()
    expect(result.ends).toBeGreaterThan(0)
  },
  timeoutMs,
)

test('without a fault there is one way to the end, and nothing is POSTed twice', async () => {
  const result = await explore({ scenario: scenario({}), faultsMax: 0 })
  expect(result).toMatchObject({ ends: 1, violation: null })
})

test.each<[string, Mistake, Partial<Scenario>, number, string]>([
  [
    'the retry is sent before the state is written',
    mistakes.sendsBeforeItWrites,
    failsOnce,
    1,
    'accepted 2 times after fail',
  ],
  [
    'the dispatcher does not look at what was recorded',
    mistakes.forgetsWhatWasRecorded,
    {},
    1,
    'POSTed though it was recorded as delivered before',
  ],
  [
    'a message that is not the next attempt is dropped',
    mistakes.takesTheNextAttemptOnly,
    dies,
    1,
    'ends as dead',
  ],
  [
    'a failure is written over a later attempt',
    mistakes.overwritesLaterAttempts,
    diesLate,
    2,
    'the position went back',
  ],
  [
    'a success that could not be recorded is forgotten',
    mistakes.forgetsASuccessItCouldNotRecord,
    {},
    1,
    'accepted 2 times after fail',
  ],
  [
    'the releaser takes entries out of the index',
    mistakes.takesEntriesAwayForGood,
    byTheTable,
    1,
    'ends as waiting',
  ],
  [
    'a start releases what was settled after it',
    mistakes.releasesWhatThisProcessSettled,
    { ...failsOnce, local },
    1,
    'accepted 2 times after kill',
  ],
  [
    'a mark goes though the queue it was sent to can die',
    mistakes.trustsQueuesThatDie,
    { local },
    2,
    'stranded',
  ],
])(
  'it is found out if %s',
  async (_, mistake, of, faultsMax, what) => {
    const result = await explore({ scenario: scenario(of), faultsMax, mistake })
    expect(result.violation?.what).toContain(what)
  },
  timeoutMs,
)
