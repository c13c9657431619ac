import { describe, expect, test } from 'vitest'
import type { Emulators } from '../../../infra/local/emulators.ts'
import { createCursorStore } from '../../../shared/adapters/dynamodb/cursor-store.ts'
import { noFilters } from '../../../shared/domain/endpoint/endpoint.ts'
import { emptyCursor } from '../../../shared/domain/polling/cursor.ts'
import { jsonOf } from './bridge-command.ts'
import { holdTable } from './dead-letters.ts'
import { openDocumentTable } from './document-table.ts'
import { deliveryOf, endpointOf } from './filled-table.ts'
import { interruptCommand } from './interrupted-command.ts'
import { bounceAt } from './sample-deliveries.ts'

const hour = 3_600

const states = ['delivered', 'dead', 'cancelled', 'waiting', 'held'] as const
const eventOf = new Map(
  [...states, 'missing', 'soft', 'early'].map((name, at) => [
    name,
    bounceAt(
      (at + 2) * hour + (name === 'early' ? 60 * hour : 0),
      name,
      name === 'soft' ? { bounce_type: 's' } : {},
    ),
  ]),
)
const idOf = (name: string): string => eventOf.get(name)?.id ?? ''

/** Events of each state, one that the endpoint has no delivery of, one of a type that it does not take, one of days ago. */
const world = () =>
  holdTable({
    events: [...eventOf.values()],
    deliveries: states.flatMap(state => {
      const event = eventOf.get(state)
      const dueMs = state === 'delivered' || state === 'cancelled' ? null : Date.now()
      return event === undefined ? [] : [deliveryOf(event, { state, dueMs })]
    }),
    endpoints: [endpointOf('crm', { types: ['email.bounce.hard'] })],
  })

const recovered = async (
  read: (endpointId: string, eventId: string) => Promise<{ reason: string | null } | null>,
) => {
  const names: string[] = []
  for (const [name, { id }] of eventOf) {
    if ((await read('crm', id))?.reason === 'recovered_by_operator') names.push(name)
  }
  return names
}

describe('bridge recover', () => {
  test('delivers what an endpoint has no delivery of, within the time, by its types', async () => {
    await using folder = await world()
    const args = 'recover --endpoint crm --since 1d'
    const counted = await folder.bridge(`${args} --dry-run`)
    expect([counted.code, counted.stdout.split('\n')]).toEqual([
      0,
      [
        expect.stringMatching(
          /^1 event \(1 missing\) would go to crm, 10 a second, the last in .*Nothing was done\.$/,
        ),
        "  1 left: left out by the endpoint's types and filters",
        '  2 left: waiting or held: they go out by themselves',
        '  3 left: none of those that --only asks for',
        '',
      ],
    ])
    expect(await folder.read('crm', idOf('missing'))).toBeNull()
    expect((await folder.bridge(args)).stdout).toMatch(/^Recovered 1 event \(1 missing\) for crm\. /)
    expect(await recovered(folder.read)).toEqual(['missing'])
    expect(await folder.read('crm', idOf('missing'))).toMatchObject({
      state: 'waiting',
      position: { round: 1, attempt: 0 },
      sourceId: 'main',
      stream: 'bounces',
      expiresAtSeconds: eventOf.get('missing')?.expiresAtSeconds,
    })
    // Once is enough.
    expect(jsonOf(await folder.bridge(`${args} --json`))).toMatchObject({
      set: { missing: 0 },
      lastDueAt: null,
    })
  })

  test('delivers what failed, or all again once that is confirmed', async () => {
    await using folder = await world()
    const args = 'recover --endpoint crm --since 1d'
    expect(jsonOf(await folder.bridge(`${args} --only failed --json`))).toMatchObject({
      endpoint: 'crm',
      only: 'failed',
      dryRun: false,
      wentOn: false,
      looked: 7,
      set: { missing: 0, dead: 1, delivered: 0, cancelled: 0 },
    })
    expect(await recovered(folder.read)).toEqual(['dead'])
    const asked = await folder.bridge(`${args} --only all`)
    expect([asked.code, asked.stderr]).toEqual([
      2,
      'bridge: Deliver 3 events (1 missing, 1 delivered, 1 cancelled) to crm, whatever it was delivered before? ' +
        'Nobody can be asked here: give --yes to do it\n',
    ])
    expect(await recovered(folder.read)).toEqual(['dead'])
    expect((await folder.bridge(`${args} --only all --yes --rate 2`)).code).toBe(0)
    expect(await recovered(folder.read)).toEqual(['delivered', 'dead', 'cancelled', 'missing'])
    expect(await folder.read('crm', idOf('delivered'))).toMatchObject({ position: { round: 2, attempt: 0 } })
  })

  test('gives a new endpoint the past that its filters take, but for what only counts as sent', async () => {
    const filters = { ...noFilters, recipientDomains: ['b.example'] }
    const seen = { ...bounceAt(3 * hour, 'seen', { rcpt: 'jo@b.example' }), endpointIds: [] }
    const young = { ...bounceAt(60, 'young', { rcpt: 'jo@b.example' }), endpointIds: [] }
    const events = [seen, young, bounceAt(hour, 'other')]
    await using folder = await holdTable({
      events,
      deliveries: [],
      endpoints: [endpointOf('new', { filters })],
    })
    await setFloor(folder.emulators, seen.second)
    expect(jsonOf(await folder.bridge('recover --endpoint new --since 1d --json'))).toMatchObject({
      set: { missing: 1 },
      left: { unwanted: 1, seenAtStart: 1 },
    })
    expect((await folder.read('new', young.id))?.state).toBe('waiting')
  })

  test('is refused for an endpoint that was removed, and tells what is wrong', async () => {
    await using folder = await holdTable({
      events: [],
      deliveries: [],
      endpoints: [endpointOf('gone', { state: 'removed' })],
    })
    expect((await folder.bridge('recover --endpoint gone --since 1d')).code).toBe(3)
    expect((await folder.bridge('recover --endpoint none --since 1d')).code).toBe(1)
    const wrong = await folder.bridge('recover --only some --rate 0')
    expect([wrong.code, wrong.stderr.trimEnd().split('\n').length]).toEqual([2, 4])
  })

  test.each(['SIGINT', 'SIGKILL'] as const)(
    'interrupted by %s goes on where it ended, and sends nothing a third time',
    async signal => {
      const count = 1_200
      const events = Array.from({ length: count }, (_, at) => bounceAt(2 * hour + at, `event-${at}`))
      const deliveries = events.map(event => deliveryOf(event))
      await using folder = await holdTable({ events, deliveries })
      const args = 'recover --endpoint crm --since 1d --only all --rate 1000 --yes'
      const isUnderWay = async () => (await folder.countIn('crm', 'waiting', 1)) > 0
      const { ended, stderr } = await interruptCommand({ dataDir: folder.path, args, signal, isUnderWay })
      expect(ended).toBe(signal === 'SIGINT' ? 130 : 'SIGKILL')
      if (signal === 'SIGINT')
        expect(stderr).toMatch(/^Interrupted: .*The same command goes on with the rest/)
      const keys = events.map(({ id }) => ({ endpointId: 'crm', eventId: id }))
      const begun = (await folder.store.readMany(keys)).filter(({ state }) => state === 'waiting')
      expect(begun.length).toBeGreaterThan(0)
      expect(begun.length).toBeLessThan(count)
      // The bridge delivers what was set so far.
      for (const delivery of begun) await folder.deliver(delivery)

      // But where that is asked for, it begins anew, and everything counts again.
      const anew = jsonOf(await folder.bridge(`${args} --anew --dry-run --json`))
      // A write of the killed command may still have been on its way to the table: that delivery waits.
      expect([anew.wentOn, anew.set.delivered + anew.left.unsettled]).toEqual([false, count])

      const rest = await folder.bridge(args)
      expect(rest.stderr).toMatch(/^Goes on with the recover that was begun /)
      const after = await folder.store.readMany(keys)
      const rounds = Map.groupBy(
        after,
        ({ state, position }) => `${state} ${position.round}.${position.attempt}`,
      )
      expect(new Map([...rounds].map(([name, found]) => [name, found.length]))).toEqual(
        new Map([
          ['delivered 2.1', begun.length],
          ['waiting 2.0', count - begun.length],
        ]),
      )
      // It is done: the same words are a new command.
      const again = jsonOf(await folder.bridge(`${args} --json`))
      expect([again.wentOn, again.set.delivered, again.left.unsettled]).toEqual([
        false,
        begun.length,
        count - begun.length,
      ])
    },
    60_000,
  )
})

const setFloor = async (emulators: Pick<Emulators, 'dynamodb'>, floorSecond: number): Promise<void> => {
  using table = openDocumentTable(emulators)
  const key = { sourceId: 'main', stream: 'bounces', name: 'main' } as const
  await createCursorStore(table).commit(key, { ...emptyCursor, floorSecond }, null)
}
