import { describe, expect, test, vi } from 'vitest'
import type { Delivery } from '../../../shared/domain/delivery/delivery.ts'
import { startCommand } from '../local/commands.ts'
import { jsonOf } from './bridge-command.ts'
import { deliveryOf, endpointOf, holdFilled } from './filled-table.ts'
import { dead, eventAt, held, nowSecond } from './sample-deliveries.ts'

describe('bridge deliveries retry', () => {
  const waiting = {
    state: 'waiting',
    reason: 'http_503',
    position: { round: 1, attempt: 3 },
    retryAtMs: Date.now() + 7_200_000,
    dueMs: Date.now() + 7_200_000,
    firstFailureAtMs: Date.now() - 60_000,
  } as const

  /** What is set to waiting, and nothing else about it changed. */
  const inNextRound = (delivery: Delivery, dueMs: number | object = expect.any(Number)) => ({
    ...delivery,
    state: 'waiting',
    reason: 'replayed_by_operator',
    position: { round: delivery.position.round + 1, attempt: 0 },
    retryAtMs: dueMs,
    dueMs,
    firstFailureAtMs: null,
    writeId: expect.any(String),
    updatedAtMs: expect.any(Number),
  })

  test('sets one to waiting in its next round, due now, once', async () => {
    const event = eventAt(4_000, 'a')
    const delivery = deliveryOf(event, waiting)
    await using folder = await holdFilled({ events: [event], deliveries: [delivery] })
    const key = { eventId: event.id, endpointId: 'crm' }
    const line = `deliveries retry ${event.id} crm`
    expect((await folder.bridge(`${line} --dry-run`)).stdout).toMatch(
      /^Would be set to waiting; now it is waiting/,
    )
    expect(await folder.table.store.read(key)).toEqual(delivery)

    const { code, stdout, stderr } = await folder.bridge(line)
    expect([code, stdout, stderr]).toEqual([
      0,
      'Set to waiting, for attempt 1 of round 2: the releaser sends it within a minute or so.\n',
      '',
    ])
    const set = await folder.table.store.read(key)
    expect(set).toEqual(inNextRound(delivery))
    expect(set?.dueMs).toBeLessThanOrEqual(Date.now())
    expect(jsonOf(await folder.bridge(`${line} --json`))).toMatchObject({ set: false, round: 2, attempt: 0 })
    expect(await folder.table.store.read(key)).toEqual(set)
  })

  test('asks before it sends again what was delivered or cancelled', async () => {
    const events = [eventAt(60, 'a'), eventAt(50, 'b')]
    const [a, b] = events
    if (!a || !b) throw new Error('two events')
    const cancelled = deliveryOf(b, { state: 'cancelled', reason: 'dropped_by_operator' })
    await using folder = await holdFilled({ events, deliveries: [deliveryOf(a), cancelled] })
    for (const delivery of [deliveryOf(a), cancelled]) {
      const refused = await folder.bridge(`deliveries retry ${delivery.eventId} crm`)
      expect([refused.code, refused.stderr.includes('give --yes to do it')]).toEqual([2, true])
      expect(await folder.table.store.read(delivery)).toEqual(delivery)
      expect((await folder.bridge(`deliveries retry ${delivery.eventId} crm --yes`)).code).toBe(0)
      expect(await folder.table.store.read(delivery)).toEqual(inNextRound(delivery))
    }
  })

  test('refuses what is held, expired, or for an endpoint that was removed', async () => {
    const events = [eventAt(60, 'a'), eventAt(50, 'b'), eventAt(40, 'c')]
    const [a, b, c] = events
    if (!a || !b || !c) throw new Error('three events')
    const deliveries = [
      deliveryOf(a, held),
      deliveryOf(b, { ...dead, expiresAtSeconds: nowSecond - 10 }),
      deliveryOf(c, { ...dead, endpointId: 'shop' }),
    ]
    await using folder = await holdFilled({ events, deliveries })
    await folder.table.endpoints.put(endpointOf('shop', { state: 'removed' }))
    const told: unknown[] = []
    for (const { eventId, endpointId } of deliveries) {
      const { code, stderr } = await folder.bridge(`deliveries retry ${eventId} ${endpointId}`)
      told.push([code, stderr.split('\n')[0]])
    }
    expect(told).toEqual([
      [3, 'bridge: the delivery is held: endpoint_disabled'],
      [3, 'bridge: the event is past its life: there is nothing to send any more'],
      [3, 'bridge: the endpoint "shop" was removed'],
    ])
    for (const delivery of deliveries) expect(await folder.table.store.read(delivery)).toEqual(delivery)
  })

  test('sets all that wait for an endpoint, the oldest event first, at the rate', async () => {
    const events = [eventAt(300, 'a'), eventAt(200, 'b'), eventAt(100, 'c'), eventAt(90_000, 'd')]
    const [a, b, c, d] = events
    if (!a || !b || !c || !d) throw new Error('four events')
    const [first, second] = [deliveryOf(a, waiting), deliveryOf(b, waiting)]
    const others = [deliveryOf(c), deliveryOf(c, { endpointId: 'shop', ...waiting }), deliveryOf(d, waiting)]
    await using folder = await holdFilled({ events, deliveries: [first, second, ...others] })
    const line = 'deliveries retry --endpoint crm --state waiting --since 1h --rate 0.1 --json'
    const planned = jsonOf(await folder.bridge(`${line} --dry-run`))
    expect([planned.set, planned.dryRun]).toEqual([2, true])
    expect((await folder.bridge(line)).code).toBe(2)
    expect(await folder.table.store.read(first)).toEqual(first)

    const answer = jsonOf(await folder.bridge(`${line} --yes`))
    expect(answer).toEqual({
      dryRun: false,
      set: 2,
      left: { held: 0, setBefore: 0, expired: 0, forgotten: 0, endpointRemoved: 0, movedOn: 0 },
      lastDueAt: expect.any(String),
      complete: true,
    })
    const lastMs = Date.parse(answer.lastDueAt)
    expect(await folder.table.store.read(second)).toEqual(inNextRound(second, lastMs))
    expect(await folder.table.store.read(first)).toEqual(inNextRound(first, lastMs - 10_000))
    for (const other of others) expect(await folder.table.store.read(other)).toEqual(other)
  })

  test('goes on after an interruption, and sets none twice', { timeout: 60_000 }, async () => {
    const count = 1_500
    const events = Array.from({ length: count }, (_, at) => eventAt(4_000 - at, `u${at}`))
    const deliveries = events.map(event => deliveryOf(event, waiting))
    const [first] = deliveries
    if (first === undefined) throw new Error('deliveries')
    await using folder = await holdFilled({})
    const { store } = folder.table
    for (let at = 0; at < count; at += 100) {
      const some = deliveries.slice(at, at + 100)
      await Promise.all(some.map(each => store.write(each, { kind: 'unsettled_before', rank: 999_999 })))
    }
    const args = ['deliveries', 'retry', '--state', 'waiting', '--rate', '1000', '--yes', '--json']
    await using running = startCommand('infra/cli/main.ts', [...args, '--data', folder.path])
    await vi.waitFor(async () => expect((await store.read(first))?.position.round).toBe(2), {
      timeout: 20_000,
      interval: 5,
    })
    running.child.kill('SIGINT')
    expect(await running.ended).toBe(130)
    const interrupted = JSON.parse(running.stdout())
    expect(interrupted.complete).toBe(false)
    expect(interrupted.set).toBeLessThan(count)

    const again = jsonOf(await folder.bridge(args.join(' ')))
    expect([again.set + interrupted.set, again.left.setBefore]).toEqual([count, interrupted.set])
    const found = await store.readMany(deliveries)
    expect(new Set(found.map(({ position }) => position.round))).toEqual(new Set([2]))
  })

  test('says which command does the rest better, and what is wrong', async () => {
    await using folder = await holdFilled({})
    const told = async (args: string) => {
      const { code, stderr } = await folder.bridge(`deliveries retry ${args}`.trimEnd())
      expect(code).toBe(2)
      return stderr.trimEnd().split('\n')
    }
    expect(await told('')).toEqual([
      'bridge: say which: EVENT and ENDPOINT of one delivery, or --state of many',
    ])
    expect(await told('--state dead,delivered')).toEqual([
      'bridge: --state: must be waiting or cancelled; dead letters: bridge dlq replay, which cleans up their queue too',
      'bridge: --state: must be waiting or cancelled; what was delivered: bridge recover --only all',
    ])
    expect(await told(`${eventAt(1, 'a').id} --rate 5`)).toEqual([
      'bridge: ENDPOINT: is missing; the id of the endpoint',
      'bridge: --rate: does not belong to one delivery',
    ])
  })
})
