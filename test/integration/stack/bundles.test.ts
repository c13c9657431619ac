import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { tableDefinition } from '../../../shared/adapters/dynamodb/table.ts'
import { eventSchemas } from '../../../shared/domain/event/event-schemas.ts'
import { isAllowed } from './harness/iam-policies.ts'
import { arnOf } from './harness/intrinsics.ts'
import { synthesize } from './harness/synthesized.ts'
import { unusedGrants } from './harness/unused-grants.ts'
import { deniedCalls, functionNames, linesOf, told, unused } from './harness/what-was-seen.ts'
import { createWorld, type World } from './harness/world.ts'

/** How long an endpoint that is asked for patience may wait (DESIGN.md, section 6, "Answers"). */
const anHourSeconds = 3_600
const eightHoursSeconds = 8 * anHourSeconds
/** The first retry comes after 5 s, a fifth more or less, by the queue's own delay. */
const firstRetrySeconds = 10

/** One deployment for the whole file: it takes seconds to bundle. Each test has a customer, and records, of its own. */
let world: World
beforeAll(async () => {
  world = await createWorld(await synthesize())
})
afterAll(() => world.close())

describe('the bundles', () => {
  test.for(functionNames)('%s: one module, which says how big it is', name => {
    const { assetFolder } = world.functions[name].settings
    expect(readdirSync(assetFolder)).toEqual(['index.mjs'])
    const kilobytes = Math.round(statSync(join(assetFolder, 'index.mjs')).size / 1024)
    console.info(`bundle of the ${name}: ${kilobytes} KiB`)
  })

  test.for(functionNames)(
    "%s: sees the template's environment, AWS's own variables, and three additions",
    async name => {
      const { environment, settings, start } = world.functions[name]
      const { template, reserved, additions } = environment
      const instance = await start()
      await instance.stop()
      expect(Object.keys(additions)).toEqual(['emulators', 'authority', 'preload'])
      expect(Object.keys(Object.assign({}, ...Object.values(additions))).sort()).toEqual([
        'AWS_ACCESS_KEY_ID',
        'AWS_ENDPOINT_URL_DYNAMODB',
        'AWS_ENDPOINT_URL_EVENTBRIDGE',
        'AWS_ENDPOINT_URL_SECRETS_MANAGER',
        'AWS_ENDPOINT_URL_SQS',
        'AWS_SECRET_ACCESS_KEY',
        'NODE_EXTRA_CA_CERTS',
        'NODE_OPTIONS',
      ])
      expect(instance.seen?.environment).toEqual({
        ...template,
        ...reserved,
        ...additions.emulators,
        ...additions.authority,
        NODE_OPTIONS: [template['NODE_OPTIONS'], additions.preload.NODE_OPTIONS].filter(Boolean).join(' '),
      })
      expect(`nodejs${instance.seen?.node.split('.')[0]}.x`).toBe(settings.runtime)
    },
  )
})

describe('what the emulators can not take', () => {
  test('of the table: it expires items, recovers to a point in time, is encrypted and protected', () => {
    expect(world.table.notTaken).toEqual({
      DeletionProtectionEnabled: true,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      SSESpecification: { SSEEnabled: true },
      TimeToLiveSpecification: { AttributeName: tableDefinition.ttl, Enabled: true },
    })
  })

  test('of the queues: they are encrypted, and who may redrive is said', () => {
    const queues = world.emulators.queues.map(({ name, notTaken }) => [name, notTaken])
    expect(Object.fromEntries(queues)).toEqual({
      'feedback-bridge-deliveries': { SqsManagedSseEnabled: true },
      'feedback-bridge-deliveries-slow': { SqsManagedSseEnabled: true },
      'feedback-bridge-dead-letters': {
        SqsManagedSseEnabled: true,
        RedriveAllowPolicy: {
          redrivePermission: 'byQueue',
          sourceQueueArns: ['deliveries', 'deliveries-slow'].map(name =>
            arnOf('sqs', `feedback-bridge-${name}`),
          ),
        },
      },
      'feedback-bridge-failed-runs': { SqsManagedSseEnabled: true },
    })
  })
})

describe('an event, from a poll to a delivery that was verified', () => {
  test('each record of both lists is delivered, exactly once', async () => {
    const shop = await world.customer('shop')
    const ids = [
      // Over a week: what is known of a page of so many days is asked for by key.
      ...world.happen('shop', 'bounces', 23, eightHoursSeconds),
      ...world.happen('shop', 'complaints', 4),
    ].sort()
    expect(await world.run('poller')).toMatchObject({ ok: true })
    await world.drain()
    expect(shop.ids()).toEqual(ids)
    expect(await world.stateOf('shop', ids)).toEqual(ids.map(() => 'delivered'))
    // Read again by a new instance, which knows nothing of the first one's.
    expect(await world.run('poller')).toMatchObject({ ok: true })
    expect(await world.drain()).toBe(0)
    expect(told(world, 'poller', 'poll').length).toBeGreaterThan(0)
    expect(
      told(world, 'dispatcher', 'attempt')
        .filter(({ endpoint }) => endpoint === 'shop')
        .map(({ event }) => event)
        .sort(),
    ).toEqual(ids)
  })

  test('an endpoint that is slow gets its events through the slow lane, those of before too', async () => {
    const tortoise = await world.customer('tortoise')
    const before = world.happen('tortoise', 'bounces', 1)
    await world.run('poller')
    await world.stores.endpoints.setSlow('tortoise', true)
    const after = world.happen('tortoise', 'bounces', 1)
    await world.run('poller')
    await world.drain()
    expect(tortoise.ids()).toEqual([...before, ...after].sort())
    const attempts = told(world, 'dispatcher', 'attempt').filter(({ endpoint }) => endpoint === 'tortoise')
    expect(attempts.map(({ lane }) => lane)).toEqual(['slow', 'slow'])
  })

  test('one that fails comes again after the delay of the queue', async () => {
    const flaky = await world.customer('flaky')
    flaky.answer(503)
    const ids = world.happen('flaky', 'bounces', 1)
    await world.run('poller')
    await world.drain()
    expect(await world.stateOf('flaky', ids)).toEqual(['waiting'])
    flaky.answer(204)
    await world.drain(firstRetrySeconds)
    expect(flaky.posts.map(({ id, status }) => [id, status])).toEqual([
      [ids[0], 503],
      [ids[0], 204],
    ])
    expect(await world.stateOf('flaky', ids)).toEqual(['delivered'])
  })

  test('one that asks for an hour waits in the table, and the releaser sends it when it is due', async () => {
    const patient = await world.customer('patient')
    patient.answer(503, { 'retry-after': String(anHourSeconds) })
    const ids = world.happen('patient', 'bounces', 3)
    await world.run('poller')
    await world.drain()
    expect(await world.stateOf('patient', ids)).toEqual(ids.map(() => 'waiting'))
    expect(await world.run('releaser')).toMatchObject({ ok: true, result: { released: 0 } })
    patient.answer(204)
    await world.letTimePass('patient', ids)
    expect(await world.run('releaser')).toMatchObject({ ok: true, result: { released: 3 } })
    await world.drain()
    expect(patient.ids()).toEqual([...ids, ...ids].sort())
    expect(await world.stateOf('patient', ids)).toEqual(ids.map(() => 'delivered'))
  })

  test('one whose key is missing is held, unattempted, until the key is there', async () => {
    const ownSecret = { name: 'signing-keyless-1', text: `whsec_${Buffer.alloc(32, 5).toString('base64')}` }
    const keyless = await world.customer('keyless', { ownSecret, settings: { slow: true } })
    const ids = world.happen('keyless', 'bounces', 2)
    await world.run('poller')
    await world.drain()
    expect(await world.stateOf('keyless', ids)).toEqual(['held', 'held'])
    expect(await world.run('releaser')).toMatchObject({ ok: true, result: { released: 0 } })
    world.emulators.secrets.put(world.name(ownSecret.name), ownSecret.text)
    expect(await world.run('releaser')).toMatchObject({ ok: true, result: { released: 2 } })
    await world.drain()
    expect(keyless.ids()).toEqual(ids)
  })

  test('one whose authorization is missing is held too, and sent with it once it is there', async () => {
    const authorization = { scheme: 'bearer', secret: 'authorization-walled' } as const
    const walled = await world.customer('walled', {
      settings: { authorization, headers: { 'x-tenant': 'a' } },
    })
    const ids = world.happen('walled', 'bounces', 2)
    await world.run('poller')
    await world.drain()
    expect(await world.stateOf('walled', ids)).toEqual(['held', 'held'])
    expect(await world.run('releaser')).toMatchObject({ ok: true, result: { released: 0 } })
    world.emulators.secrets.put(world.name(authorization.secret), 'a-token-of-the-endpoint')
    expect(await world.run('releaser')).toMatchObject({ ok: true, result: { released: 2 } })
    await world.drain()
    expect(walled.ids()).toEqual(ids)
    const asked = walled.posts.map(({ authorization: value }) => value)
    expect(asked).toEqual(ids.map(() => 'Bearer a-token-of-the-endpoint'))
  })

  test('one whose message the queue lost is found by reconcile, and sent again', async () => {
    const unlucky = await world.customer('unlucky')
    const ids = world.happen('unlucky', 'bounces', 3)
    await world.run('poller')
    await world.loseMessages('feedback-bridge-deliveries', 'bounces', ids)
    expect(await world.drain()).toBe(0)
    expect(await world.run('releaser')).toMatchObject({ ok: true, result: { reconciled: 3 } })
    await world.drain()
    expect(unlucky.ids()).toEqual(ids)
  })

  test('one that says it is gone is disabled, and what is held goes when an operator enables it', async () => {
    const closed = await world.customer('closed')
    closed.answer(410)
    const ids = world.happen('closed', 'complaints', 1)
    await world.run('poller')
    await world.drain()
    expect((await world.stores.endpoints.read('closed'))?.state).toBe('disabled')
    expect(await world.stateOf('closed', ids)).toEqual(['held'])
    await world.run('releaser')
    await world.run('releaser')
    const { taken, problems } = world.emulators.bus
    const shown = taken.map(({ Detail, Time, ...entry }) => ({ ...entry, detail: JSON.parse(Detail) }))
    expect(shown).toEqual([
      {
        ...{ EventBusName: 'default', Source: 'feedback-bridge', DetailType: 'endpoint.disabled' },
        detail: {
          ...{ version: 1, prefix: 'feedback-bridge', endpoint: 'closed', reason: 'answered_410' },
          origin: new URL(closed.url).origin,
          disabledAt: expect.any(String),
          failingSince: null,
        },
      },
    ])
    expect(problems).toEqual([])
    closed.answer(204)
    await world.stores.endpoints.setState({ id: 'closed', state: 'active', reason: null, atMs: Date.now() })
    await world.run('releaser')
    await world.drain()
    expect(closed.posts.map(({ status }) => status)).toEqual([410, 204])
  })
})

describe('an endpoint with wishes or troubles of its own', () => {
  test('gets no more than its limits, and the rest is held without an attempt', async () => {
    const steady = await world.customer('steady', {
      settings: { limits: { maxPerSecond: 1, maxInFlight: 1 } },
    })
    const ids = world.happen('steady', 'bounces', 8)
    await world.run('poller')
    await world.drain()
    const states = await world.stateOf('steady', ids)
    const delivered = states.filter(state => state === 'delivered')
    expect(new Set(states)).toEqual(new Set(['delivered', 'held']))
    expect(steady.posts).toHaveLength(delivered.length)
    expect(told(world, 'dispatcher', 'held').filter(({ endpoint }) => endpoint === 'steady')).toHaveLength(
      ids.length - delivered.length,
    )
    // What is held goes by and by: not into the tests that follow.
    const atMs = Date.now()
    await world.stores.endpoints.setState({ id: 'steady', state: 'disabled', reason: null, atMs })
  })

  test('that fails on end has its breaker opened, is left alone, and is asked again by one probe', async () => {
    const shaky = await world.customer('shaky')
    const nowMs = Date.now()
    await world.setHealth('shaky', { failuresInRow: 9, failingSinceMs: nowMs - 120_000 })
    shaky.answer(503)
    const failed = world.happen('shaky', 'bounces', 1)
    await world.run('poller')
    await world.drain()
    const open = (await world.stores.endpoints.read('shaky'))?.health.open
    expect(open).toMatchObject({ because: 'failures_in_row', probes: 0 })
    const others = world.happen('shaky', 'bounces', 1)
    await world.run('poller')
    // With what comes now comes the second attempt of what failed.
    await world.drain()
    await world.drain(firstRetrySeconds)
    expect(shaky.posts).toHaveLength(1)
    expect(await world.stateOf('shaky', [...failed, ...others])).toEqual(['held', 'held'])
    shaky.answer(204)
    if (open) await world.setHealth('shaky', { open: { ...open, nextProbeAtMs: nowMs } })
    expect(await world.run('releaser')).toMatchObject({ ok: true, result: { released: 1 } })
    await world.drain()
    expect(shaky.posts.map(({ status }) => status)).toEqual([503, 204])
    expect((await world.stores.endpoints.read('shaky'))?.health.open).toBeNull()
    expect(await world.run('releaser')).toMatchObject({ ok: true, result: { released: 1 } })
    await world.drain()
    expect(new Set(shaky.ids())).toEqual(new Set([...failed, ...others]))
    const breaker = told(world, 'dispatcher', 'breaker').filter(({ endpoint }) => endpoint === 'shaky')
    expect(breaker.map(({ state }) => state)).toEqual(['open', 'closed'])
  })

  test('that asks for a heartbeat gets one at its interval, with what was delivered since the last', async () => {
    const beating = await world.customer('beating', { settings: { heartbeatEverySeconds: 3_600 } })
    await world.run('releaser')
    await world.run('releaser')
    await world.drain()
    expect(beating.posts).toHaveLength(1)
    const ids = world.happen('beating', 'bounces', 2)
    await world.run('poller')
    await world.drain()
    const { last } = await world.stores.heartbeats.read('beating')
    if (last === null) throw new Error('there was no heartbeat')
    // A little more than an hour, so that the next one begins in another second.
    const earlier = { ...last, startMs: last.startMs - (anHourSeconds + 5) * 1_000 }
    await world.stores.heartbeats.claim('beating', earlier, last.startMs)
    await world.run('releaser')
    await world.drain()
    const beats = beating.posts.filter(({ id }) => !ids.includes(id))
    expect(beats.map(({ body }) => eventSchemas['webhook.heartbeat'].parse(body).data)).toMatchObject([
      { interval_seconds: anHourSeconds, since: null, delivered: 0, failed: 0 },
      { since: new Date(last.sentAtMs).toISOString(), delivered: 2, failed: 0 },
    ])
    expect(new Set(beats.map(({ id }) => id)).size).toBe(2)
    const [source] = eventSchemas['webhook.heartbeat'].parse(beats[0]?.body).data.sources
    expect(source?.streams.map(({ last_complete_walk }) => typeof last_complete_walk)).toEqual([
      'string',
      'string',
    ])
  })
})

describe('what goes wrong', () => {
  test('a record that can not be understood is quarantined, and the others go on', async () => {
    const odd = await world.customer('odd')
    const ids = world.happen('odd', 'bounces', 1)
    const second = Math.floor(Date.now() / 1000)
    world.simulator.add('bounces', [{ uuid: 'odd-1', second, json: '{"timelogged": "never"}' }])
    await world.run('poller')
    await world.drain()
    expect(odd.ids()).toEqual(ids)
    expect(told(world, 'poller', 'quarantined')).toHaveLength(1)
  })

  test('a message that no code can read goes to the dead letters', async () => {
    await world.send('feedback-bridge-deliveries', 'not ours')
    expect(await world.drain()).toBe(1)
    expect(await world.bodiesIn('feedback-bridge-dead-letters')).toEqual(['not ours'])
  })

  test('a token that is being rotated is read by its stage', async () => {
    const rotated = await world.customer('rotated')
    const next = 'token-of-the-second-day'
    world.secretsSeen.add(next)
    world.emulators.secrets.putPending(world.tokenName, next)
    const first = world.happen('rotated', 'bounces', 1)
    await world.run('poller')
    await world.drain()
    expect(rotated.ids()).toEqual(first)

    world.simulator.setOption('token', next)
    const second = world.happen('rotated', 'bounces', 1)
    expect(await world.run('poller')).toMatchObject({ ok: true })
    expect(await world.drain()).toBe(0)
    expect(told(world, 'poller', 'poll').at(-1)).toMatchObject({ outcome: 'failed', status: 401 })

    world.emulators.secrets.promote(world.tokenName)
    await world.run('poller')
    await world.drain()
    expect(rotated.ids()).toEqual([...first, ...second].sort())
  })

  test('a run that fails is not repeated, says what failed, and leaves a record', async () => {
    for (const name of ['poller', 'releaser'] as const) {
      const outcome = await world.run(name, { TABLE_NAME: 'no-such-table' })
      expect(outcome).toMatchObject({ ok: false, message: expect.stringContaining('the table') })
      expect(told(world, name, 'invocation_failed')).toHaveLength(1)
      expect(world.functions[name].failures.retries).toBe(0)
      expect(await world.bodiesIn('feedback-bridge-failed-runs')).toEqual([
        expect.stringContaining('the table'),
      ])
    }
  })

  test('a variable that is missing ends the start of every function', async () => {
    for (const name of functionNames) {
      const instance = await world.functions[name].start({ SECRET_PREFIX: '' })
      const outcome = await instance.invoke({})
      await instance.stop()
      expect(outcome).toMatchObject({ ok: false, message: expect.stringContaining('SECRET_PREFIX') })
    }
  })

  test('an endpoint within a network is refused by the deployed guard too', async () => {
    const inside = await world.customer('inside', {
      settings: { url: 'https://127.0.0.1:8443/hooks/inside' },
    })
    const ids = world.happen('inside', 'bounces', 1)
    await world.run('poller')
    await world.drain()
    expect(inside.posts).toEqual([])
    expect(await world.stateOf('inside', ids)).toEqual(['waiting'])
    const attempts = told(world, 'dispatcher', 'attempt').filter(({ endpoint }) => endpoint === 'inside')
    expect(attempts.map(({ reason }) => reason)).toEqual(['address_refused'])
  })
})

describe('what was said', () => {
  test('every line is JSON, and metrics are among them', () => {
    for (const name of functionNames) {
      const metrics = linesOf(world, name).filter(line => '_aws' in line)
      expect(metrics.length).toBeGreaterThan(0)
    }
  })

  test('no secret and no address of a recipient is in any of them', () => {
    const said = functionNames.map(name => world.functions[name].output()).join('\n')
    const told = [...world.secretsSeen].filter(secret => said.includes(secret.replace(/^whsec_/, '')))
    expect(told).toEqual([])
    expect(said).not.toMatch(/recipient-\d+@/)
  })

  test('every POST was one that was to come, signed with the right key', () => {
    expect(world.customers.wrong).toEqual([])
  })
})

describe('the roles of the template', () => {
  test('the harness understood every request', () => {
    expect(functionNames.flatMap(name => world.functions[name].proxy.problems)).toEqual([])
  })

  test('allow every call that was made', () => {
    const denied = functionNames.flatMap(name => deniedCalls(world, name))
    // Of the runs that were given a wrong table.
    expect(denied.filter(call => !call.includes('no-such-table'))).toEqual([])
    expect(denied.length).toBeGreaterThan(0)
  })

  test('allow none of the others’ work', () => {
    const table = arnOf('dynamodb', 'table/feedback-bridge')
    const writes = (pk: string) => ({ action: 'dynamodb:PutItem', resource: table, leadingKeys: [pk] })
    const reads = (secret: string) => ({
      action: 'secretsmanager:GetSecretValue',
      resource: world.emulators.secrets.arn(world.name(secret)),
      leadingKeys: [],
    })
    const may = (name: (typeof functionNames)[number], call: ReturnType<typeof writes>) =>
      isAllowed(world.functions[name].statements, call)
    expect(may('poller', reads('signing-master'))).toBe(false)
    expect(may('poller', reads('authorization-walled'))).toBe(false)
    expect(may('dispatcher', reads('token-main'))).toBe(false)
    expect(may('releaser', reads('token-main'))).toBe(false)
    expect(may('poller', writes('DELIVERY#shop#2026-01-01'))).toBe(false)
    expect(may('poller', writes('ENDPOINT'))).toBe(false)
    expect(may('dispatcher', writes('CURSOR#main'))).toBe(false)
    expect(may('dispatcher', writes('EVENT#main#bounces#2026-01-01'))).toBe(false)
    expect(may('releaser', writes('CURSOR#main'))).toBe(false)
    expect(may('releaser', writes('ENDPOINT'))).toBe(false)
  })

  test.for(functionNames)('%s: what was allowed and never used is listed, with its reason', name => {
    expect(unused(world, name)).toEqual(Object.keys(unusedGrants[name]).sort())
  })
})
