import { describe, expect, test } from 'vitest'
import { dueIndexKeys, itemKinds } from '../../../infra/stack/permissions.ts'
import * as keys from '../../../shared/adapters/dynamodb/keys.ts'
import { indexedStates } from '../../../shared/domain/delivery/delivery.ts'
import { matches } from './harness/iam-policies.ts'
import { grantsOf, type Statement, statementsByRole, statementsOf } from './support/statements.ts'
import { everySetting, ofType, synthTemplate } from './support/synth-template.ts'

const standing = synthTemplate()
const roles = {
  poller: statementsOf(standing, 'Poller/Role'),
  dispatcher: statementsOf(standing, 'Dispatcher/Role'),
  releaser: statementsOf(standing, 'Releaser/Role'),
  scheduler: statementsOf(standing, 'Schedules/Role'),
}

const secret = (name: string): string => `secret:feedback-bridge/${name}-Ab12Cd`
const mayRead = (statements: readonly Statement[], name: string): boolean =>
  grantsOf(statements)
    .filter(grant => grant.startsWith('secretsmanager:'))
    .some(grant => matches(grant.split(' ')[1] ?? '', secret(name)))

describe('secrets', () => {
  test.for([
    ['poller', 'token-main', true],
    ['poller', 'signing-master', false],
    ['poller', 'signing-shop-1', false],
    ['dispatcher', 'signing-master', true],
    ['dispatcher', 'signing-shop-1', true],
    ['dispatcher', 'authorization-shop', true],
    ['dispatcher', 'token-main', false],
    ['poller', 'authorization-shop', false],
    ['releaser', 'signing-master', true],
    ['releaser', 'authorization-shop', true],
    ['releaser', 'token-main', false],
  ] as const)('%s reads %s: %s', ([name, secretName, may]) => {
    expect(mayRead(roles[name], secretName)).toBe(may)
  })

  test('that are not there are found missing, not denied: their ARN ends with their name', () => {
    const allowed = grantsOf(roles.dispatcher).map(grant => grant.split(' ')[1] ?? '')
    for (const name of ['signing-shop-1', 'authorization-shop']) {
      expect(allowed.filter(pattern => matches(pattern, `secret:feedback-bridge/${name}`))).toHaveLength(1)
    }
  })

  test("of another stack, whose prefix begins with this one's, are out of reach", () => {
    const other = 'secret:feedback-bridge-2/token-main-Ab12Cd'
    expect(
      Object.values(roles)
        .flatMap(grantsOf)
        .filter(grant => matches(grant.split(' ')[1] ?? '', other)),
    ).toEqual([])
  })
})

describe('items', () => {
  const writes = ['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem'].map(action => `dynamodb:${action}`)
  const written = (statements: readonly Statement[]): Set<string> =>
    new Set(
      grantsOf(statements)
        .map(grant => grant.split(' '))
        .filter(([action = '']) => writes.includes(action))
        .flatMap(([, , ...patterns]) => patterns),
    )

  test('are written by one function each, but for deliveries, marks, and what endpoints and heartbeats keep of both', () => {
    const [poller, dispatcher, releaser] = [roles.poller, roles.dispatcher, roles.releaser].map(written)
    expect(poller).toEqual(new Set(['EVENT#*', 'CURSOR#*', 'QUARANTINE#*', 'MARK#*']))
    expect(dispatcher).toEqual(new Set(['DELIVERY#*', 'ENDPOINT', 'PACE#*', 'HEARTBEAT#*']))
    expect(releaser).toEqual(new Set(['DELIVERY#*', 'MARK#*', 'HEARTBEAT#*', 'ENDPOINT']))
  })

  test('of the table are never asked for without a condition on their leading keys, and never scanned', () => {
    const onTable = Object.values(roles)
      .flat()
      .filter(({ actions }) => actions.some(action => action.startsWith('dynamodb:')))
    expect(onTable.length).toBeGreaterThan(0)
    for (const { conditions, actions } of onTable) {
      expect(conditions['ForAllValues:StringLike']?.['dynamodb:LeadingKeys']?.length ?? 0).toBeGreaterThan(0)
      expect(actions.filter(action => /Scan|PartiQL|\*/.test(action))).toEqual([])
    }
  })

  test('have partition keys that the pattern of their kind takes, and no other', () => {
    const of = { sourceId: 'main', stream: 'bounces', day: '2026-01-01' } as const
    const eventId = 'evt_01KDWBYP00BBBBBBBBBBBBBBBB'
    const made = {
      source: keys.sourceKey('main').pk,
      endpoint: keys.endpointKey('shop').pk,
      cursor: keys.cursorKey({ sourceId: 'main', stream: 'bounces', name: 'main' }).pk,
      event: keys.eventKey({ ...of, eventId }).pk,
      delivery: keys.deliveryKey({ endpointId: 'shop', eventId }).pk,
      quarantine: keys.quarantineKey({ ...of, hash: 'ab' }).pk,
      mark: keys.markKey({ ...of, hour: 1 }).pk,
      pace: keys.paceKey('shop').pk,
      heartbeat: keys.heartbeatKey('shop').pk,
    }
    expect(Object.keys(made)).toEqual(Object.keys(itemKinds))
    for (const [kind, key] of Object.entries(made)) {
      const takers = Object.entries(itemKinds).filter(([, patterns]) =>
        patterns.some(pattern => matches(pattern, key)),
      )
      expect(takers.map(([name]) => name)).toEqual([kind])
    }
    expect(keys.runLeaseKey('main').pk).toBe(made.cursor)
    const partitions = indexedStates.map(state => keys.indexPartition(state, 'shop', 7))
    expect(partitions.map(key => dueIndexKeys.filter(pattern => matches(pattern, key)).length)).toEqual([
      1, 1, 1,
    ])
  })
})

describe('every role', () => {
  const full = synthTemplate({ ...everySetting, simulator: 'false' })

  test('is made of statements of its own: nothing of what AWS manages, and nothing of "*"', () => {
    for (const { Properties } of ofType(standing, 'AWS::IAM::Role')) {
      expect(Properties).not.toHaveProperty('ManagedPolicyArns')
    }
    const all = [...statementsByRole(standing).values()].flat()
    expect(all.flatMap(({ actions }) => actions).filter(action => action.includes('*'))).toEqual([])
    expect(all.flatMap(({ resources }) => resources).filter(resource => resource === '*')).toEqual([])
  })

  test('joins a VPC on "*", as Lambda asks, and denies the same to its code', () => {
    const wide = [...statementsByRole(full)].flatMap(([role, statements]) =>
      statements
        .filter(({ resources }) => resources.includes('*'))
        .map(({ effect, actions, conditions }) => ({ role, effect, actions, conditions })),
    )
    expect(wide).toHaveLength(6)
    for (const name of ['poller', 'dispatcher', 'releaser']) {
      const [allowed, denied] = wide.filter(({ role }) => role.toLowerCase().startsWith(name))
      expect([allowed?.effect, denied?.effect]).toEqual(['Allow', 'Deny'])
      expect(allowed?.actions.every(action => action.startsWith('ec2:'))).toBe(true)
      expect(denied?.actions).toEqual(allowed?.actions)
      expect(denied?.conditions).toEqual({
        ArnEquals: {
          'lambda:SourceFunctionArn': [
            `arn:aws:lambda:eu-west-1:123456789012:function:feedback-bridge-${name}`,
          ],
        },
      })
    }
  })

  test('uses a key of yours only through the services that hold what it encrypts', () => {
    const services = (path: string) =>
      statementsOf(full, path)
        .filter(({ actions }) => actions.some(action => action.startsWith('kms:')))
        .map(({ resources, conditions }) => {
          expect(resources).toEqual([everySetting.kmsKeyArn])
          return conditions['StringEquals']?.['kms:ViaService']
        })
    const through = (service: string) => [`${service}.eu-west-1.amazonaws.com`]
    for (const path of ['Poller/Role', 'Dispatcher/Role', 'Releaser/Role']) {
      expect(services(path)).toEqual([through('dynamodb'), through('sqs'), through('secretsmanager')])
    }
    expect(services('Schedules/Role')).toEqual([through('sqs')])
  })
})
