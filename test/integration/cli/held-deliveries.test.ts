import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { buildEvent } from '../../../shared/domain/event/build-event.ts'
import { sampleDelivery } from '../../contract/support/samples.ts'
import { jsonOf } from './bridge-command.ts'
import { openTable } from './filled-table.ts'
import { holdFolder } from './held-folder.ts'

const url = 'https://93.184.215.14/hooks'

const nowSecond = Math.floor(Date.now() / 1_000)

const eventOf = (at: number, fields: Record<string, unknown> = {}) => {
  const value = { bounce_type: 'h', rcpt: 'jo@example.com', header_from: 'news@a.example', ...fields }
  const record = {
    uuid: randomUUID(),
    second: nowSecond - at,
    raw: { text: JSON.stringify(value), value },
  }
  return { record, event: buildEvent({ source: { id: 'main' }, stream: 'bounces', record }) }
}

/** A world of an endpoint that is disabled, with so many deliveries held for it and one waiting. */
const heldWorld = async (count: number) => {
  const folder = await holdFolder()
  await folder.bridge(`endpoint add ${url} --id crm --disabled`)
  const stores = openTable(folder.emulators)
  const ids = Array.from({ length: count + 1 }, (_, at) => eventOf(at).event.id)
  for (const [at, eventId] of ids.entries()) {
    const state = at === count ? ('waiting' as const) : ('held' as const)
    const delivery = sampleDelivery({ endpointId: 'crm', eventId, state, dueMs: Date.now() - 1_000 })
    await stores.store.write(delivery, { kind: 'unsettled_before', rank: 9_999_999 })
  }
  return {
    ...folder,
    ids,
    statesOf: async () => {
      const found = await Promise.all(ids.map(eventId => stores.store.read({ endpointId: 'crm', eventId })))
      return found.map(delivery => `${delivery?.state} ${delivery?.reason}`)
    },
    [Symbol.asyncDispose]: async () => {
      stores[Symbol.dispose]()
      await folder[Symbol.asyncDispose]()
    },
  }
}

describe('what is held for an endpoint', () => {
  test('is counted by list and show, and keeps enable waiting for a word on it', async () => {
    await using world = await heldWorld(3)
    const [listed] = jsonOf(await world.bridge('endpoint list --json')).endpoints
    expect(listed.deliveries).toMatchObject({
      waiting: { count: 1, atLeast: false },
      held: { count: 3, atLeast: false },
      dead: { count: 0, atLeast: false, oldestEvent: null },
    })
    expect((await world.bridge('endpoint show crm')).stdout).toMatch(/\nHeld +3, the oldest event .* ago\n/)
    const unsaid = await world.bridge('endpoint enable crm')
    expect(unsaid).toEqual({
      code: 2,
      stdout: '',
      stderr: 'bridge: there are 3 held deliveries: say --release or --drop\n',
    })
    expect((await world.bridge('endpoint enable crm --release --drop')).code).toBe(2)
    expect(jsonOf(await world.bridge('endpoint show crm --json')).state).toBe('disabled')
  })

  test('stays as it is where it is to be released: the releaser finds it', async () => {
    await using world = await heldWorld(2)
    const before = await world.statesOf()
    const enabled = await world.bridge('endpoint enable crm --release')
    expect(enabled.stdout).toBe(
      'Enabled the endpoint crm. 2 held deliveries are released by and by, 2 a second at first.\n',
    )
    expect(jsonOf(await world.bridge('endpoint show crm --json')).state).toBe('active')
    expect(await world.statesOf()).toEqual(before)
  })

  test('is cancelled where it is to be dropped, once that is confirmed, and what waits is not', async () => {
    await using world = await heldWorld(130)
    expect((await world.bridge('endpoint enable crm --drop')).code).toBe(2)
    expect((await world.statesOf()).filter(state => state.startsWith('held'))).toHaveLength(130)
    const enabled = jsonOf(await world.bridge('endpoint enable crm --drop --yes --json'))
    expect(enabled).toMatchObject({ state: 'active', dropped: 130, released: 0 })
    expect(await world.statesOf()).toEqual([
      ...Array.from({ length: 130 }, () => 'cancelled dropped_by_operator'),
      'waiting status_500',
    ])
  })

  test('is told before the endpoint is removed', async () => {
    await using world = await heldWorld(2)
    const asked = await world.bridge('endpoint remove crm')
    expect([asked.code, asked.stderr]).toEqual([
      2,
      'bridge: Remove the endpoint crm for good? This cancels 3 deliveries. Nobody can be asked here: give --yes to do it\n',
    ])
  })
})

test('update --dry-run says how many of the last events would match, and changes nothing', async () => {
  await using folder = await holdFolder()
  await folder.bridge('source add main --url https://api.example.com', 'token')
  await folder.bridge(`endpoint add ${url} --id crm --types email.bounce.*`)
  using stores = openTable(folder.emulators)
  const events = [
    eventOf(1),
    eventOf(86_400, { bounce_type: 's' }),
    eventOf(3 * 86_400, { header_from: 'news@b.example' }),
    eventOf(4 * 86_400, { bounce_type: 's', header_from: 'news@b.example' }),
  ]
  await stores.log.record(
    events.map(({ record, event }) => ({
      id: event.id,
      sourceId: 'main',
      stream: 'bounces' as const,
      type: event.type,
      recordId: record.uuid,
      second: record.second,
      body: event.body,
      endpointIds: [],
      loggedAtMs: Date.now(),
      expiresAtSeconds: nowSecond + 86_400,
    })),
  )
  const before = jsonOf(await folder.bridge('endpoint show crm --json'))
  const flags = '--types email.bounce.hard --sender-domains b.example --dry-run'
  expect(jsonOf(await folder.bridge(`endpoint update crm ${flags} --json`))).toMatchObject({
    id: 'crm',
    dryRun: true,
    events: 4,
    before: 4,
    after: 1,
    byType: [
      { type: 'email.bounce.hard', events: 2, before: 2, after: 1 },
      { type: 'email.bounce.soft', events: 2, before: 2, after: 0 },
    ],
  })
  expect((await folder.bridge(`endpoint update crm ${flags}`)).stdout.split('\n')[0]).toBe(
    'Of the last 4 events, crm matches 4 now, and would match 1. Nothing was changed.',
  )
  expect(jsonOf(await folder.bridge('endpoint show crm --json'))).toEqual(before)
})
