import { expect, test } from 'vitest'
import type { Delivery } from '../../../shared/domain/delivery/delivery.ts'
import { jsonOf } from './bridge-command.ts'
import { deadOf, holdTable } from './dead-letters.ts'
import { loggedEvent } from './filled-table.ts'
import { interruptCommand } from './interrupted-command.ts'
import { at, count, ends, hour, inOrder, nowSecond, textsOf } from './many-deliveries.ts'

test('bridge dlq purge, ended three times, purges what was meant when it was begun, and nothing else', {
  timeout: 120_000,
}, async () => {
  const diedAtMs = Date.now() - 3 * hour * 1_000
  const deliveries = inOrder(index => ({ dueMs: diedAtMs + index, updatedAtMs: diedAtMs + index }), deadOf)
  const others = deliveries.slice(0, 20).map(delivery => ({ ...delivery, endpointId: 'shop' }))
  await using folder = await holdTable({ events: [], deliveries: [...deliveries, ...others] })
  const args = 'dlq purge --endpoint crm --until 2h --yes --json'
  for (const [signal, after] of ends) {
    const isUnderWay = async () =>
      (await folder.read('crm', at(deliveries, after).eventId))?.state === 'cancelled'
    const { ended } = await interruptCommand({ dataDir: folder.path, args, signal, isUnderWay })
    expect(ended).toBe(signal === 'SIGINT' ? 130 : 'SIGKILL')
    const left = (await folder.store.readMany(deliveries)).filter(({ state }) => state === 'dead')
    expect(left.length).toBeGreaterThan(0)
    expect(left.length).toBeLessThan(count - after)
  }
  // One that was too new for --until when the command was begun, and one that has died since.
  const edge = deadOf(loggedEvent({ second: Math.floor(Date.now() / 1_000) - 2 * hour, uuid: 'edge' }))
  const died = deadOf(loggedEvent({ second: nowSecond - 5 * hour, uuid: 'died' }), {
    updatedAtMs: Date.now(),
  })
  for (const one of [edge, died]) await folder.store.write(one, { kind: 'unsettled_before', rank: 999_999 })
  const left = (await folder.store.readMany(deliveries)).filter(({ state }) => state === 'dead')

  const last = await folder.bridge(args)
  expect(last.stderr.split('\n')).toEqual([
    expect.stringMatching(/^Goes on with the purge that was begun /),
    'What was given up since it was begun is left; the same command, given again, purges it.',
    '',
  ])
  // A write of the killed command may still have been on its way when these were read.
  expect(jsonOf(last).purged + jsonOf(last).movedOn).toBeLessThanOrEqual(left.length)
  const purged = new Map([['cancelled 1.10 purged_by_operator', count]])
  expect(textsOf(await folder.store.readMany(deliveries))).toEqual(purged)
  expect(await folder.store.readMany(others)).toHaveLength(20)
  expect(new Set((await folder.store.readMany(others)).map(({ state }) => state))).toEqual(new Set(['dead']))
  const stateOf = async ({ eventId }: Delivery) => (await folder.read('crm', eventId))?.state
  expect([await stateOf(edge), await stateOf(died)]).toEqual(['dead', 'dead'])

  // It is done: the same words are a new command.
  expect(jsonOf(await folder.bridge(args))).toMatchObject({ purged: 2 })
  expect([await stateOf(edge), await stateOf(died)]).toEqual(['cancelled', 'cancelled'])
})
