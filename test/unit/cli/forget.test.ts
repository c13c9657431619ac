import { expect, test } from 'vitest'
import { readAddress } from '../../../infra/cli/forget/read-address.ts'
import { forgottenJson, renderForgotten } from '../../../infra/cli/forget/render.ts'
import { stillHeld } from '../../../infra/cli/forget/still-held.ts'
import { plainLook } from '../../../infra/cli/output/look.ts'
import { createFakeIo } from './fake-io.ts'

const nowMs = Date.UTC(2026, 10, 21, 12)
const local = { kind: 'local', dataDir: '/data', isRunning: false } as const
const stack = {
  kind: 'stack',
  name: 'bridge',
  stack: {
    Prefix: 'bridge',
    TableName: 't',
    FastQueueUrl: 'f',
    SlowQueueUrl: 's',
    DeadLettersQueueUrl: 'd',
    FailedRunsQueueUrl: 'r',
    SecretPrefix: 'p',
    PollerName: 'poller',
    DispatcherName: 'dispatcher',
    ReleaserName: 'releaser',
    ScheduleGroup: 'g',
  },
} as const

const done = (
  fields: { unreadable?: number; mentions?: number; removed?: number; complete?: boolean } = {},
) => ({
  table: {
    looked: 1_000,
    events: 2,
    deliveries: { queued: 0, waiting: 1, held: 0, delivered: 1, dead: 0, cancelled: 0 },
    quarantined: 1,
    mentions: fields.mentions ?? 0,
    unreadable: fields.unreadable ?? 0,
    complete: true,
  },
  deadLetters: { looked: 5, found: 3, removed: fields.removed ?? 3, complete: fields.complete ?? true },
  isDryRun: false,
  held: stillHeld(stack, nowMs),
})

test('says of a deployed bridge until when its backups and queues may hold the address', () => {
  expect(forgottenJson(done()).stillHeld).toEqual([
    { where: 'under_way', until: '2026-11-21T13:00:00.000Z' },
    { where: 'queued_messages', until: '2026-12-05T12:00:00.000Z' },
    { where: 'point_in_time_recovery', until: '2026-12-26T12:00:00.000Z' },
    { where: 'other_backups', until: null },
    { where: 'customers', until: null },
    { where: 'service', until: null },
  ])
  expect(stillHeld(local, nowMs).map(({ where }) => where)).toEqual([
    'under_way',
    'queued_messages',
    'data_folder',
    'customers',
    'service',
  ])
})

test('tells people what was removed, what it is not sure of, and what it does not reach', () => {
  const shown = done({ unreadable: 2, mentions: 1, removed: 2, complete: false })
  const [head, ...rest] = renderForgotten(plainLook, shown).split('\n')
  expect(head).toBe(
    'Forgotten: 2 events (their deliveries were: 1 waiting, 1 delivered), 1 quarantined record, 2 messages of the dead-letter queue; 1,005 items looked at.',
  )
  expect(rest.slice(0, 5)).toEqual([
    '1 event of other recipients mention the address: left as they are.',
    '2 items can not be read by this version: they may hold it.',
    'The dead-letter queue was not seen to its end: run the same command again.',
    '',
    'Not reached, and so perhaps still held:',
  ])
  expect(rest).toHaveLength(5 + shown.held.length)
  expect(forgottenJson(shown)).toMatchObject({ deadLetters: 2, complete: false })
})

test('a dry run tells what would be removed, and not what stays', () => {
  const text = renderForgotten(plainLook, { ...done({ removed: 0 }), isDryRun: true })
  expect(text.split('\n')).toEqual([
    expect.stringMatching(/^Would be forgotten: 2 events .* 3 messages of the dead-letter queue;/),
    'Nothing was done.',
  ])
})

test.each([
  ['jo@example.com', undefined],
  ['-', ' Jo <jo@example.com>\n'],
])('reads the address that %s names', async (given, stdin) => {
  const { io } = createFakeIo(stdin === undefined ? {} : { stdin })
  expect((await readAddress(given, { io })).isIn('x jo@example.com')).toBe(true)
})

test.each(['jo', '-', ' '])('refuses %j, which is no address, without saying it', async given => {
  await expect(readAddress(given, createFakeIo())).rejects.toThrow(/^--recipient: [^j]*(jo@example\.com)?$/)
})
