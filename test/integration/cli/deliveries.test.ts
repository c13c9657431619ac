import { describe, expect, test } from 'vitest'
import { deliveryReasons } from '../../../shared/domain/delivery/reasons.ts'
import { jsonOf } from './bridge-command.ts'
import { deliveryOf, holdFilled } from './filled-table.ts'
import { dead, eventAt, held } from './sample-deliveries.ts'

describe('bridge deliveries list', () => {
  test('finds deliveries by endpoint, state, time, source and stream, in either order', async () => {
    const events = [
      eventAt(60, 'a'),
      eventAt(90_000, 'b'),
      eventAt(180_000, 'c', { stream: 'complaints' }),
      eventAt(270_000, 'd', { sourceId: 'other' }),
    ]
    const [a, b, c, d] = events
    if (!a || !b || !c || !d) throw new Error('four events')
    await using folder = await holdFilled({
      events,
      deliveries: [
        deliveryOf(a),
        deliveryOf(a, { endpointId: 'shop', ...held }),
        deliveryOf(b, dead),
        deliveryOf(c, { endpointId: 'shop' }),
        deliveryOf(d, { endpointId: 'shop', ...dead }),
      ],
    })
    const names = new Map(events.map(event => [event.id, event.recordId]))
    const listed = async (args: string): Promise<string[]> => {
      const { deliveries } = jsonOf(await folder.bridge(`deliveries list --json ${args}`.trimEnd()))
      return deliveries.map(
        ({ event, endpoint }: { event: string; endpoint: string }) => `${names.get(event)} ${endpoint}`,
      )
    }
    const cases: [string, string[]][] = [
      ['--until 1h', ['b crm', 'c shop', 'd shop']],
      ['--order oldest --until 1h', ['d shop', 'c shop', 'b crm']],
      ['--endpoint crm', ['a crm', 'b crm']],
      ['--state dead', ['b crm', 'd shop']],
      ['--state dead,held --endpoint shop', ['a shop', 'd shop']],
      ['--since 2d --state dead', ['b crm']],
      ['--source other', ['d shop']],
      ['--stream complaints', ['c shop']],
      ['--state cancelled', []],
    ]
    for (const [args, found] of cases) expect([args, await listed(args)]).toEqual([args, found])
    expect((await listed('')).toSorted()).toEqual(['a crm', 'a shop', 'b crm', 'c shop', 'd shop'])
  })

  test('shows each in a row, and tells what is wrong', async () => {
    const event = eventAt(60, 'a')
    await using folder = await holdFilled({ events: [event], deliveries: [deliveryOf(event, dead)] })
    const { stdout } = await folder.bridge('deliveries list')
    expect(stdout.split('\n').map(line => line.split(/ {2,}/))).toEqual([
      ['EVENT', 'ENDPOINT', 'STATE', 'ATTEMPT', 'REASON', 'UPDATED'],
      [event.id, 'crm', 'dead', '1.10', 'http_500', expect.stringMatching(/Z$/)],
      [''],
    ])
    expect((await folder.bridge('deliveries list --state dead --endpoint shop')).stdout).toBe(
      'There are no such deliveries.\n',
    )
    const wrong = await folder.bridge('deliveries list --state lost')
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      'bridge: --state: must be waiting, held, delivered, dead, cancelled, or several of them with commas between\n',
    ])
    expect((await folder.bridge('deliveries list --endpoint none')).code).toBe(1)
  })
})

describe('bridge deliveries show', () => {
  test('tells where it stands, with the attempts that are kept', async () => {
    const event = eventAt(4_000, 'a')
    const attempt = (number: number) => ({
      position: { round: 1, attempt: number },
      atMs: event.loggedAtMs + number * 1_000,
      tookMs: 15_000,
      status: null,
      reason: 'timeout',
      answer: '',
    })
    const attempts = [6, 7, 8, 9, 10].map(attempt)
    const delivery = deliveryOf(event, { ...dead, reason: 'timeout', attempts })
    await using folder = await holdFilled({ events: [event], deliveries: [delivery] })
    const { code, stdout } = await folder.bridge(`deliveries show ${event.id} crm`)
    const [fields = '', table = ''] = stdout.trimEnd().split('\n\n')
    expect(code).toBe(0)
    expect(fields.split('\n').map(line => line.split(/ {2,}/)[0])).toEqual([
      'Event',
      'Endpoint',
      'State',
      'Settled last',
      'Reason',
      'First failure',
      'Updated',
      'Kept until',
    ])
    expect(fields).toContain(`timeout, ${deliveryReasons.timeout}`)
    const lines = table.split('\n').map(line => line.split(/ {2,}/))
    expect(lines.slice(1, -1).map(([position, , took, outcome]) => [position, took, outcome])).toEqual(
      attempts.map(({ position }) => [`1.${position.attempt}`, '15.0 s', 'timeout']),
    )
    expect(lines.at(-1)).toEqual(['Of the attempts, the last 5 are kept.'])
    expect(jsonOf(await folder.bridge(`deliveries show ${event.id} crm --json`))).toMatchObject({
      state: 'dead',
      round: 1,
      attempt: 10,
      attempts: attempts.map(({ position }) => ({ attempt: position.attempt, reason: 'timeout' })),
    })
  })

  test('says why there is none', async () => {
    const event = eventAt(60, 'a', { endpointIds: ['crm'] })
    await using folder = await holdFilled({ events: [event] })
    const told = async (args: string) => {
      const { code, stderr } = await folder.bridge(`deliveries show ${args}`)
      return [code, stderr.split('\n')[0]]
    }
    expect(await told(`${event.id} crm`)).toEqual([
      1,
      'bridge: no attempt of this delivery is settled yet: its message is in a queue',
    ])
    expect(await told(`${event.id} shop`)).toEqual([
      1,
      'bridge: the event did not match the endpoint "shop" when it was read',
    ])
    expect(await told(`${eventAt(61, 'z').id} crm`)).toEqual([
      1,
      'bridge: the event log has no event of this id',
    ])
    expect(await told(`${event.id} none`)).toEqual([1, 'bridge: there is no endpoint "none"'])
  })
})
