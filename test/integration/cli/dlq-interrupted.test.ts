import { expect, test } from 'vitest'
import { deadOf, holdTable } from './dead-letters.ts'
import { loggedEvent } from './filled-table.ts'
import { interruptCommand } from './interrupted-command.ts'

const hour = 3_600
const nowSecond = Math.floor(Date.now() / 1_000)

test.each(['SIGINT', 'SIGKILL'] as const)(
  'bridge dlq replay, interrupted by %s, loses nothing: the same command goes on, behind what is due already',
  async signal => {
    const count = 1_200
    const events = Array.from({ length: count }, (_, at) =>
      loggedEvent({ second: nowSecond - hour - at, uuid: `event-${at}` }),
    )
    await using folder = await holdTable({ events: [], deliveries: events.map(event => deadOf(event)) })
    const args = 'dlq replay --endpoint crm --since 1d --rate 100'
    const isUnderWay = async () => (await folder.countIn('crm', 'waiting', 1)) > 0
    const { ended, stderr } = await interruptCommand({ dataDir: folder.path, args, signal, isUnderWay })
    expect(ended).toBe(signal === 'SIGINT' ? 130 : 'SIGKILL')
    if (signal === 'SIGINT') expect(stderr).toMatch(/^Interrupted: \d+ replayed\. The same command goes on/)
    const begun = await folder.countIn('crm', 'waiting', count)
    expect(begun).toBeGreaterThan(0)
    expect(begun).toBeLessThan(count)

    const rest = await folder.bridge(args)
    expect(rest.stderr).toMatch(/^Goes on with the replay that was begun /)
    const deliveries = await folder.store.readMany(
      events.map(({ id }) => ({ endpointId: 'crm', eventId: id })),
    )
    expect(new Set(deliveries.map(({ state, position }) => `${state} ${position.round}`))).toEqual(
      new Set(['waiting 2']),
    )
    expect(deliveries).toHaveLength(count)
    // A page of a hundred may have been set and not yet kept in the plan.
    const due = deliveries.map(({ dueMs }) => dueMs ?? 0).toSorted((one, other) => one - other)
    expect(new Set(due).size).toBeGreaterThanOrEqual(count - 100)
    expect((due.at(-1) ?? 0) - (due[0] ?? 0)).toBeGreaterThanOrEqual((count - 101) * 10)
  },
  40_000,
)
