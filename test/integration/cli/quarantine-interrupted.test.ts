import { expect, test } from 'vitest'
import { eventId } from '../../../shared/domain/feedback/event-id.ts'
import { jsonOf } from './bridge-command.ts'
import { openFastLane } from './drained-queue.ts'
import { hashOf, holdQuarantine } from './held-quarantine.ts'
import { interruptCommand } from './interrupted-command.ts'

const count = 160
const second = Math.floor(Date.now() / 1_000) - 3_600
const sourceId = 'main'
const stream = 'bounces'
/** Today's code can read them. */
const records = Array.from({ length: count }, (_, at) => ({ uuid: `record-${at}`, second: second + at }))
const kept = records.map(record => ({
  text: JSON.stringify({ uuid: record.uuid, timelogged: record.second }),
  reason: 'no_usable_time',
}))
const others = [
  { text: '{"uuid":"other"}', reason: 'no_usable_time', sourceId: 'other' },
  { text: '"text"', reason: 'not_an_object' },
] as const
const otherHashes = others.map(({ text }) => hashOf(text)).toSorted()
/** In the order in which the command takes them. */
const hashes = kept.map(({ text }) => hashOf(text)).toSorted()
/** How many of them are done when it is ended, and by what. */
const ends = [
  ['SIGKILL', 1],
  ['SIGINT', 40],
  ['SIGKILL', 90],
] as const

const endThreeTimes = async (
  folder: Awaited<ReturnType<typeof holdQuarantine>>,
  args: string,
  look: (of: { left: Set<string>; stderr: string }) => Promise<void>,
): Promise<void> => {
  for (const [signal, after] of ends) {
    const hash = hashes[after - 1] ?? ''
    const isUnderWay = async () => (await folder.quarantine.read({ sourceId, stream, hash })) === null
    const { ended, stderr } = await interruptCommand({ dataDir: folder.path, args, signal, isUnderWay })
    expect(ended).toBe(signal === 'SIGINT' ? 130 : 'SIGKILL')
    const left = new Set(await folder.hashes('--all --source main --reason no_usable_time'))
    expect(left.size).toBeGreaterThan(0)
    expect(left.size).toBeLessThanOrEqual(count - after)
    expect([...left].filter(one => !hashes.includes(one))).toEqual([])
    await look({ left, stderr })
  }
}

test('bridge quarantine retry, ended three times, loses no record: each is logged and sent, and then leaves', {
  timeout: 120_000,
}, async () => {
  await using folder = await holdQuarantine([...kept, ...others])
  using lane = openFastLane(folder.emulators)
  const idOf = new Map(
    records.map((record, at) => [hashOf(kept[at]?.text ?? ''), eventId({ sourceId, stream, ...record })]),
  )
  const isLogged = async (hash: string): Promise<boolean> =>
    (await folder.table.log.read({ sourceId, stream, eventId: idOf.get(hash) ?? '' })) !== null
  const args = 'quarantine retry --all --source main --reason no_usable_time --json'
  await endThreeTimes(folder, args, async ({ left, stderr }) => {
    for (const hash of hashes) if (!left.has(hash)) expect(await isLogged(hash)).toBe(true)
    if (stderr !== '') expect(stderr).toMatch(/^Interrupted after \d+ records; the same command goes on\.\n$/)
  })
  const left = await folder.hashes('--all --source main --reason no_usable_time')
  const last = await folder.bridge(args)
  const { enqueued, known, kept: stays, records: looked } = jsonOf(last)
  // One may have been logged, and its command ended before it was taken out.
  expect([last.code, looked, enqueued + known, stays]).toEqual([0, left.length, left.length, []])
  expect((await folder.hashes()).toSorted()).toEqual(otherHashes)
  const ids = [...idOf.values()].toSorted()
  const sent = await lane.drain()
  expect([...new Set(sent)]).toEqual(ids)
  // Sent before it is logged: each end may make one go out twice, which the dispatcher drops.
  expect(sent.length - ids.length).toBeLessThanOrEqual(ends.length)
  expect(jsonOf(await folder.bridge(args))).toMatchObject({ records: 0, enqueued: 0 })
})

test('bridge quarantine drop, ended three times, drops what was asked for and nothing else', {
  timeout: 120_000,
}, async () => {
  await using folder = await holdQuarantine([...kept, ...others])
  using lane = openFastLane(folder.emulators)
  const args = 'quarantine drop --all --source main --reason no_usable_time --yes --json'
  await endThreeTimes(folder, args, async ({ stderr }) => {
    if (stderr !== '')
      expect(stderr).toMatch(/^Interrupted: \d+ records dropped; the same command goes on\.\n$/)
  })
  const left = await folder.hashes('--all --source main --reason no_usable_time')
  expect(jsonOf(await folder.bridge(args))).toEqual({ dropped: left.length })
  expect((await folder.hashes()).toSorted()).toEqual(otherHashes)
  expect(jsonOf(await folder.bridge(args))).toEqual({ dropped: 0 })
  expect(await lane.drain()).toEqual([])
})
